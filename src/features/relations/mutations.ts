import type { GraphQLResolveInfo } from 'graphql'
import { objectOfPayload } from '../../engine/compiler/field-reads.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { viewingUser } from '../accounts/reads.ts'
import { expectHidden } from '../accounts/services.ts'
import { builder } from '../base/builder.ts'
import { type MutationPayload, type ObjectType, writeAndRead } from '../base/payload.ts'
import type { Permission } from '../base/permissions.ts'
import { capitalized, type Relation } from '../base/relations.ts'
import { type RelationChange, setRelation } from './set-relation.ts'

type Payload = MutationPayload & { readonly action: string }

/** Some of the objects, which a toggle of their own serves. */
type Part = {
  readonly type: ObjectType
  readonly permission: Permission
  readonly noun: string
  readonly errors: string
}

const them = ({ objectType }: Relation) => (objectType === 'user' ? 'them' : 'it')

function actionType({ verb, on, off, objectType: noun }: Relation) {
  return builder.enumType(`${capitalized(verb)}Action`, {
    description: `Whether a ${noun} was ${on.done} or ${off.done}.`,
    values: {
      [on.done.toUpperCase()]: { value: on.done, description: `The viewer now ${on.does} the ${noun}.` },
      [off.done.toUpperCase()]: { value: off.done, description: `The viewer no longer ${on.does} the ${noun}.` },
    },
  })
}

function inputTypes(relation: Relation) {
  const { verb, undo, on, objectType: noun, canExpire } = relation
  const uuid = { type: 'UUID', required: true, description: `The uuid of the ${noun}.` } as const
  const ToggleInput = builder.inputType(`Toggle${capitalized(verb)}Input`, {
    description: `The ${noun} to ${verb} or to ${undo}.`,
    fields: (t) => ({ uuid: t.field(uuid) }),
  })
  const SetInput = builder.inputType(`Set${capitalized(verb)}Input`, {
    description: `The ${verb} to set.`,
    fields: (t) => ({
      uuid: t.field(uuid),
      [on.done]: t.boolean({ required: true, description: `Whether the viewer should ${verb} ${them(relation)}.` }),
      ...(canExpire && {
        until: t.field({ type: 'DateTime', description: `When the ${verb} ends by itself; null for never.` }),
      }),
    }),
  })
  return { ToggleInput, SetInput }
}

/** What setting or toggling a relation can refuse. */
function errorsOf(relation: Relation): string {
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
  const [payload, action] = await writeAndRead(context, info, uuid, howToRead, (database) =>
    setRelation(database, context.viewer, { relation, ...wanted }),
  )
  return { ...payload, action }
}

/**
 * Adds the mutations of a relation, such as `toggleLike` and `setLike`, with their inputs, payload and descriptions. Returns what adds a toggle
 * that only serves some of the objects.
 */
export function relationMutations(relation: Relation, type: ObjectType) {
  const { verb, undo, on, off, permission, objectType: noun } = relation
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
        description: `${capitalized(on.does)} a ${noun}, or ${off.does} ${them(relation)} if the viewer already ${on.does} ${them(relation)}. Not idempotent: \`set${Verb}\` is. Errors: ${errors}.`,
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
      description: `${capitalized(on.does)} or ${off.does} a ${noun}. Idempotent. Errors: ${errorsOf(relation)}.`,
      args: { input: t.arg({ type: SetInput, required: true, description: `The ${verb} to set.` }) },
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
