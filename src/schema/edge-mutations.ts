import type { GraphQLResolveInfo } from 'graphql'
import { capitalized, type Edge, wordsOf } from '../domain/edges.ts'
import type { Permission } from '../domain/permissions.ts'
import { type EdgeChange, setEdge } from '../domain/set-edge.ts'
import { objectOfPayload } from '../reads/read.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { type MutationPayload, type PayloadObject, readPayload } from './payload.ts'

type Payload = MutationPayload & { readonly action: string }

/** The objects that an edge leads to, and who may set it. */
type Target = Pick<PayloadObject, 'type'> & {
  readonly permission: Permission
  /** What the context of a change has to know before it. */
  readonly note?: (context: Context, uuid: string) => void
}

/** Some of the objects, which a toggle of their own serves. */
type Part = Omit<Target, 'note'> & { readonly noun: string; readonly errors: string }

/**
 * Adds the mutations of an edge, such as `toggleLike` and `setLike`, with their inputs, payload and descriptions. Returns what adds a toggle
 * that only serves some of the objects.
 */
export function edgeMutations(edge: Edge, { type, permission, note }: Target) {
  const { verb, noun } = edge
  const { on, off } = wordsOf(edge)
  const them = noun === 'user' ? 'them' : 'it'
  const Verb = capitalized(verb)

  const Action = builder.enumType(`${Verb}Action`, {
    description: `Whether a ${noun} was ${on.done} or ${off.done}.`,
    values: {
      [on.done.toUpperCase()]: { value: on.done, description: `The viewer now ${on.does} the ${noun}.` },
      [off.done.toUpperCase()]: { value: off.done, description: `The viewer no longer ${on.does} the ${noun}.` },
    },
  })
  const ToggleInput = builder.inputType(`Toggle${Verb}Input`, {
    description: `The ${noun} to ${verb} or to ${off.infinitive}.`,
    fields: (t) => ({ uuid: t.field({ type: 'UUID', required: true, description: `Identifier of the ${noun}.` }) }),
  })
  const SetInput = builder.inputType(`Set${Verb}Input`, {
    description: `The ${verb} to set.`,
    fields: (t) => ({
      uuid: t.field({ type: 'UUID', required: true, description: `Identifier of the ${noun}.` }),
      [on.done]: t.boolean({ required: true, description: `Whether the viewer should ${verb} ${them}.` }),
      ...(edge.mayEnd && {
        until: t.field({ type: 'DateTime', description: `When the ${verb} ends by itself; null for never.` }),
      }),
    }),
  })
  const payloadOf = (name: string, what: string, type: Target['type']) =>
    builder.objectRef<Payload>(name).implement({
      description: `The result of ${on.doing} or ${off.doing} a ${what}.`,
      fields: (t) => ({
        action: t.expose('action', { type: Action, description: 'What the mutation did.' }),
        [what]: t.field({ type, description: `The ${what} after the change.`, read: objectOfPayload }),
      }),
    })

  const set = async (change: Omit<EdgeChange, 'edge'>, context: Context, info: GraphQLResolveInfo) => {
    note?.(context, change.uuid)
    const action = await setEdge(context.database, context.session, { edge, ...change })
    return { ...(await readPayload(context, info, change.uuid, `read ${noun} ${change.uuid}`)), action }
  }

  const addToggle = (
    field: string,
    payload: ReturnType<typeof payloadOf>,
    { noun, permission, errors }: Omit<Part, 'type'>,
  ) =>
    builder.mutationField(field, (t) =>
      t.field({
        type: payload,
        permission,
        description: `${capitalized(on.does)} a ${noun}, or ${off.does} ${them} if the viewer already ${on.does} ${them}. Not idempotent: \`set${Verb}\` is. Errors: ${errors}.`,
        args: {
          input: t.arg({
            type: ToggleInput,
            required: true,
            description: `The ${noun} to ${verb} or to ${off.infinitive}.`,
          }),
        },
        resolve: (_root, { input: { uuid } }, context, info) => set({ uuid, wanted: null, permission }, context, info),
      }),
    )

  const limit = noun === 'user' ? `, \`CONFLICT\` when the viewer already ${on.does} ${edge.most} accounts` : ''
  const ban = noun === 'user' && edge.isEndedByBlocks ? ', `FORBIDDEN` when either user blocks the other' : ''
  const errors = `\`NOT_FOUND\`${limit}${ban}`
  const payload = payloadOf(`${Verb}Payload`, noun, type)
  addToggle(`toggle${Verb}`, payload, { noun, permission, errors })
  builder.mutationField(`set${Verb}`, (t) =>
    t.field({
      type: payload,
      permission,
      description: `${capitalized(on.does)} or ${off.does} a ${noun}. Idempotent. Errors: ${errors}.`,
      args: { input: t.arg({ type: SetInput, required: true, description: `The ${verb} to set.` }) },
      resolve: (_root, { input }, context, info) => {
        const { uuid, until, [on.done]: wanted }: Readonly<Record<string, unknown>> = input
        const change = { uuid: String(uuid), wanted: wanted === true, until: until instanceof Date ? until : null }
        return set({ ...change, permission }, context, info)
      },
    }),
  )
  return (field: string, { type, ...part }: Part) =>
    addToggle(field, payloadOf(`${capitalized(field)}Payload`, part.noun, type), part)
}
