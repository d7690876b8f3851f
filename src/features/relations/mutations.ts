import type { GraphQLResolveInfo } from 'graphql'
import type { Viewer } from '../../engine/auth/viewers.ts'
import { objectOfPayload } from '../../engine/compiler/field-reads.ts'
import type { PayloadRead } from '../../engine/data/backend.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { newId } from '../../engine/data/ids.ts'
import { forbidden, invalid, notFound, Refusal } from '../../engine/errors.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { viewingUser } from '../accounts/reads.ts'
import { expectHidden } from '../accounts/services.ts'
import { builder } from '../base/builder.ts'
import { callFor, callOfRelation, type FunctionCall } from '../base/function-calls.ts'
import { type MutationPayload, type ObjectType, writeAndRead } from '../base/payload.ts'
import { isPermitted, type Permission, requirePermission } from '../base/permissions.ts'
import { capitalized, isOfTimelines, type Relation, repeated, requestOf } from '../base/relations.ts'
import { type LimitsOfAccount, limitsFor, withinLimits } from '../limits/limits.ts'

/** A change of a relation from the viewer to an object: whether it should exist, or null to toggle it. */
type RelationChange = {
  readonly relation: Relation
  readonly uuid: string
  readonly wanted: boolean | null
  /** When it ends by itself, if it may; null for never. */
  readonly until?: Date | null
  readonly permission: Permission
}

/** Who changes which relation and why; `wanted` is null to toggle it. Only a request notifies. */
type RelationCall = {
  readonly newId: string | null
  readonly actor: string
  readonly object: string
  readonly wanted: boolean | null
  readonly cause: 'request' | 'import' | 'deletion'
  /** The kinds of publications that the actor may do this to: by default both. */
  readonly posts?: boolean
  readonly replies?: boolean
  readonly until?: string | null
  /** Whether nothing new may be set. */
  readonly limited?: boolean
}

/** Locks objects of a relation, in the order of all writes that lock publications or users, until the transaction ends. */
export async function lockObjects(
  transaction: Client,
  { objectType }: Relation,
  ids: readonly string[],
): Promise<void> {
  const table = Prisma.raw(`${objectType}s`)
  await transaction.$queryRaw`select id from ${table} where id = any(${ids}::uuid[]) order by id for no key update`
}

/** The call of the SQL function that changes a relation. */
export function relationCall(
  relation: Relation,
  {
    newId: new_id,
    actor: viewer,
    posts = true,
    replies = true,
    until: ends = null,
    limited = false,
    ...change
  }: RelationCall,
): FunctionCall {
  const most = relation.objectType === 'user' ? relation.limit : null
  return callOfRelation(relation, { new_id, viewer, ...change, posts, replies, most, ends, limited })
}

/**
 * Sets or toggles a relation. Returns the form of its verb that says what was done, such as "unliked". It is one statement, and exact under
 * any concurrency. Throws `NOT_FOUND`, and `INSUFFICIENT_SCOPE` for the kind of a publication; for users `VALIDATION_FAILED` for oneself
 * or a time that is past, `CONFLICT` above the limit, and `FORBIDDEN` if a block or the audience of a publication forbids it.
 */
export async function setRelation(
  access: Access,
  viewer: Viewer,
  { relation, uuid, wanted, until, permission }: RelationChange,
  payload?: PayloadRead,
  limits?: LimitsOfAccount,
): Promise<string> {
  const { verb, undo, on, off, objectType } = relation
  if (objectType === 'user' && uuid === viewer.id)
    throw invalid({ field: 'uuid', message: `must identify another user: users cannot ${verb} themselves` })
  if (wanted && until && until <= new Date()) throw invalid({ field: 'until', message: 'must be in the future' })
  const units = wanted !== false && relation.limitName ? { [relation.limitName]: 1 } : {}
  return withinLimits(limits, units, async (refusal) => {
    const call = relationCall(relation, {
      newId: newId(),
      actor: viewer.id,
      object: uuid,
      wanted,
      cause: 'request',
      posts: isPermitted(viewer, permission, 'post'),
      replies: isPermitted(viewer, permission, 'reply'),
      until: until?.toISOString() ?? null,
      limited: refusal !== undefined,
    })
    const row = await callFor(access, viewer, `check whether the viewer ${on.does} ${objectType} ${uuid}`, {
      ...call,
      // Of users, it locks two.
      lockKey: objectType === 'user' ? undefined : uuid,
      payload,
    })
    const outcome = row?.outcome
    if (outcome === off.done) return { value: off.done, isNew: false }
    for (const value of [on.done, requestOf(relation)?.done].filter((it) => it !== undefined))
      if (outcome === value || outcome === repeated(value)) return { value, isNew: outcome === value }
    if (outcome === 'limited' && refusal) throw refusal
    if (outcome === 'post' || outcome === 'reply') requirePermission(viewer, permission, outcome)
    if (outcome === 'hidden') throw forbidden('BLOCKED', `You cannot ${verb} this user: one of you blocks the other.`)
    if (outcome === 'not_for_everybody')
      throw forbidden('NOT_FOR_EVERYBODY', `Only a publication that is for everybody can be ${on.done}.`)
    if (objectType === 'user' && outcome === 'too_many')
      throw new Refusal('CONFLICT', `An account can ${verb} at most ${relation.limit} others: ${undo} one first.`)
    throw notFound(objectType === 'user' || permission.post ? objectType : 'reply')
  })
}

type Payload = MutationPayload & { readonly action: string }

/** Some of the objects, which a toggle of their own serves. */
type Part = {
  readonly type: ObjectType
  readonly permission: Permission
  readonly noun: string
  readonly errors: string
}

const them = ({ objectType }: Relation) => (objectType === 'user' ? 'them' : 'it')

function actionType(relation: Relation) {
  const { verb, on, off, objectType: noun } = relation
  const request = requestOf(relation)
  return builder.enumType(`${capitalized(verb)}Action`, {
    description: `Whether a ${noun} was ${[on.done, request?.done].filter(Boolean).join(', ')} or ${off.done}.`,
    values: {
      [on.done.toUpperCase()]: { value: on.done, description: `The viewer now ${on.does} the ${noun}.` },
      [off.done.toUpperCase()]: { value: off.done, description: `The viewer no longer ${on.does} the ${noun}.` },
      ...(request && {
        [request.done.toUpperCase()]: {
          value: request.done,
          description: `The ${noun} is private and got a request; the viewer does not ${verb} ${them(relation)} yet.`,
        },
      }),
    },
  })
}

function inputTypes(relation: Relation) {
  const { verb, undo, on, objectType: noun, canExpire, name } = relation
  const uuid = { type: 'UUID', required: true, description: `The uuid of the ${noun}.` } as const
  const ToggleInput = builder.inputType(`Toggle${capitalized(verb)}Input`, {
    description: `The ${noun} to ${verb} or to ${undo}.`,
    fields: (t) => ({ uuid: t.field(uuid) }),
  })
  const SetInput = builder.inputType(`Set${capitalized(verb)}Input`, {
    description: `The ${name.one} to set.`,
    fields: (t) => ({
      uuid: t.field(uuid),
      [on.done]: t.boolean({ required: true, description: `Whether the viewer should ${verb} ${them(relation)}.` }),
      ...(canExpire && {
        until: t.field({ type: 'DateTime', description: `When the ${name.one} ends by itself; null for never.` }),
      }),
    }),
  })
  return { ToggleInput, SetInput }
}

/** What toggling and setting a relation to a private account does, if that makes a request. */
function ofPrivateAccounts(relation: Relation) {
  if (!requestOf(relation)) return { toggle: '', set: '' }
  return {
    toggle: ' A private account gets a request, which toggling again withdraws.',
    set: ` A private account that the viewer does not ${relation.verb} yet gets a request.`,
  }
}

/** What setting or toggling a relation can refuse. */
function errorsOf(relation: Relation): string {
  if (isOfTimelines(relation)) return '`NOT_FOUND`, `FORBIDDEN` if the publication is not for everybody'
  if (relation.objectType !== 'user') return '`NOT_FOUND`'
  const limit = `, \`CONFLICT\` when the viewer already ${relation.on.does} ${relation.limit} accounts`
  return `\`NOT_FOUND\`${limit}${relation.isEndedByBlocks ? ', `FORBIDDEN` when either user blocks the other' : ''}`
}

/** Sets or toggles a relation, and reads the payload. */
async function change(
  relation: Relation,
  wanted: Omit<RelationChange, 'relation'>,
  context: RequestContext,
  info: GraphQLResolveInfo,
): Promise<Payload> {
  const { uuid } = wanted
  const hidesFrom = relation.objectType === 'user' ? relation.hidesFrom : undefined
  if (hidesFrom) expectHidden(context, ...(hidesFrom === 'both' ? [uuid] : []))
  const howToRead = `read ${relation.objectType} ${uuid}`
  const [payload, action] = await writeAndRead(context, info, uuid, howToRead, (payload) =>
    setRelation(context.database, context.viewer, { relation, ...wanted }, payload, limitsFor(context)),
  )
  return { ...payload, action }
}

/**
 * Adds the mutations of a relation, such as `toggleLike` and `setLike`, with their inputs, payload and descriptions. Returns what
 * adds a toggle that only serves some of the objects.
 */
export function relationMutations(relation: Relation, type: ObjectType) {
  const { verb, undo, on, off, permission, objectType: noun, name } = relation
  const ofPrivate = ofPrivateAccounts(relation)
  const Verb = capitalized(verb)
  const Action = actionType(relation)
  const { ToggleInput, SetInput } = inputTypes(relation)

  const payloadType = (name: string, what: string, type: ObjectType) =>
    builder.objectRef<Payload>(name).implement({
      description: `The result of ${on.doing} or ${off.doing} a ${what}.`,
      fields: (t) => ({
        action: t.expose('action', { type: Action, description: 'What the mutation did.' }),
        [what]: t.field({ type, description: `The ${what} after the change.`, read: objectOfPayload }),
        ...(noun === 'user' && {
          viewer: t.field({ type, description: 'The viewer after the change.', read: viewingUser }),
        }),
      }),
    })

  const addToggle = (
    field: string,
    payload: ReturnType<typeof payloadType>,
    { noun, permission, errors }: Omit<Part, 'type'>,
  ) =>
    builder.mutationField(field, (t) =>
      t.field({
        type: payload,
        permission,
        description:
          `${capitalized(on.does)} a ${noun}, or ${off.does} ${them(relation)} if the viewer already ` +
          `${on.does} ${them(relation)}.${ofPrivate.toggle} Not idempotent: \`set${Verb}\` is. Errors: ${errors}.`,
        args: {
          input: t.arg({ type: ToggleInput, required: true, description: `The ${noun} to ${verb} or to ${undo}.` }),
        },
        resolve: (_root, { input: { uuid } }, context, info) =>
          change(relation, { uuid, wanted: null, permission }, context, info),
      }),
    )

  const payload = payloadType(`${Verb}Payload`, noun, type)
  addToggle(`toggle${Verb}`, payload, { noun, permission, errors: errorsOf(relation) })
  builder.mutationField(`set${Verb}`, (t) =>
    t.field({
      type: payload,
      permission,
      description: `${capitalized(on.does)} or ${off.does} a ${noun}.${ofPrivate.set} Idempotent. Errors: ${errorsOf(relation)}.`,
      args: { input: t.arg({ type: SetInput, required: true, description: `The ${name.one} to set.` }) },
      resolve: (_root, { input }, context, info) => {
        const { uuid, until, [on.done]: wanted }: Readonly<Record<string, unknown>> = input
        const set = { uuid: String(uuid), wanted: wanted === true, until: until instanceof Date ? until : null }
        return change(relation, { ...set, permission }, context, info)
      },
    }),
  )
  return (field: string, { type, ...part }: Part) =>
    addToggle(field, payloadType(`${capitalized(field)}Payload`, part.noun, type), part)
}
