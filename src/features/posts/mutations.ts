import type { GraphQLResolveInfo } from 'graphql'
import { type Cost, prices } from '../../engine/compiler/cost.ts'
import { clientUuid } from '../../engine/data/client-uuid.ts'
import { newId } from '../../engine/data/new-id.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { contentBounds } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import type { Condition } from '../base/condition.ts'
import { entitiesIn } from '../base/entities.ts'
import { clientUuidRule, textRule } from '../base/input-rules.ts'
import { ifUnchangedSince, payloadBefore, payloadWith, writeAndRead } from '../base/payload.ts'
import type { Permission } from '../base/permissions.ts'
import * as permissions from '../base/permissions.ts'
import { requirePermission } from '../base/permissions.ts'
import { refusedCharacters } from '../base/text-rules.ts'
import { deletePublication, type Edit, editPublication, type NewPublication, sendPublication } from './publications.ts'
import { Publication, Reply } from './schema.ts'

const content = {
  description: `The text: 1 to 500 characters (Unicode code points), not blank, without ${refusedCharacters}. It is stored as sent.`,
  ...textRule(contentBounds),
}
const newContent = { required: true, ...content } as const
const locked = { description: 'Whether only its author may reply to it.' }
const from = {
  type: 'UUID',
  description: 'The application of the token, which is also the default. Any other one is refused with `FORBIDDEN`.',
} as const
const newUuid = {
  type: 'UUID',
  description: `${clientUuid} Sending the same publication again returns the existing one; a different one under a taken uuid is refused with \`CONFLICT\`.`,
  ...clientUuidRule,
} as const
const ownUuid = { type: 'UUID', required: true, description: 'The uuid of the publication.' } as const
const ifPublicationUnchangedSince = {
  type: 'DateTime',
  description: ifUnchangedSince('publication', 'createdAt'),
} as const

type EditInput = Edit & { readonly uuid: string }
type DeleteInput = Condition & { readonly uuid: string }

/** What a mutation with a content costs: what this names is looked up, and written. */
const cost: Cost = {
  once: prices.mutation,
  asks: ({ input }) => {
    // Its length is not checked yet.
    const content = String(Object(input).content ?? '').slice(0, 2 * contentBounds.max)
    const { mentions = [], hashtags = [] } = entitiesIn(content) ?? {}
    return { rows: 1, each: (mentions.length + hashtags.length) * prices.entity }
  },
}

async function send(input: NewPublication, permission: Permission, context: RequestContext, info: GraphQLResolveInfo) {
  requirePermission(context.viewer, permission, input.parent == null ? 'post' : 'reply')
  const id = input.uuid ?? newId()
  const [payload] = await writeAndRead(context, info, id, `read publication ${id}`, (database) =>
    sendPublication(database, context.viewer, input, id),
  )
  return payload
}

async function edit(input: EditInput, permission: Permission, context: RequestContext, info: GraphQLResolveInfo) {
  const { uuid } = input
  const [payload] = await writeAndRead(context, info, uuid, `read publication ${uuid}`, (database) =>
    editPublication(database, context.viewer, uuid, input, permission),
  )
  return payload
}

function remove(input: DeleteInput, permission: Permission, context: RequestContext, info: GraphQLResolveInfo) {
  const { uuid } = input
  const before = payloadBefore(context, info, uuid)
  return deletePublication(context.database, context.viewer, uuid, input, permission, before)
}

builder.relayMutationField(
  'sendPost',
  {
    description: 'The post to send, or with `parent` the reply.',
    inputFields: (t) => ({
      content: t.string(newContent),
      locked: t.boolean(locked),
      parent: t.field({ type: 'UUID', description: 'The uuid of the publication to reply to.' }),
      from: t.field(from),
      uuid: t.field(newUuid),
    }),
  },
  {
    permission: permissions.sendPublication,
    cost,
    resolve: (_root, { input }, context, info) => send(input, permissions.sendPublication, context, info),
    description:
      'Sends a post, or with `parent` a reply. Errors: `POST_LOCKED` and `NOT_FOUND` for the parent, `FORBIDDEN` for `from`, `CONFLICT` for `uuid`.',
  },
  payloadWith('publication', Publication, 'The new publication.'),
)

builder.relayMutationField(
  'sendReply',
  {
    description: 'The reply to send.',
    inputFields: (t) => ({
      parent: t.field({ type: 'UUID', required: true, description: 'The uuid of the publication to reply to.' }),
      content: t.string(newContent),
      locked: t.boolean(locked),
      from: t.field(from),
      uuid: t.field(newUuid),
    }),
  },
  {
    permission: permissions.sendReply,
    cost,
    resolve: (_root, { input }, context, info) => send(input, permissions.sendReply, context, info),
    description:
      'Sends a reply. Errors: `POST_LOCKED` and `NOT_FOUND` for the parent, `FORBIDDEN` for `from`, `CONFLICT` for `uuid`.',
  },
  payloadWith('reply', Reply, 'The new reply.'),
)

const { inputType: UpdatePostInput } = builder.relayMutationField(
  'updatePost',
  {
    description:
      "Changes to one of the viewer's publications, at least one. Fields that are null or missing stay unchanged.",
    inputFields: (t) => ({
      uuid: t.field(ownUuid),
      content: t.string(content),
      locked: t.boolean(locked),
      ifUnchangedSince: t.field(ifPublicationUnchangedSince),
    }),
  },
  {
    permission: permissions.editPublication,
    cost,
    resolve: (_root, { input }, context, info) => edit(input, permissions.editPublication, context, info),
    description:
      "Edits one of the viewer's posts or replies. Errors: `NOT_FOUND`, `FORBIDDEN` if its author is somebody else.",
  },
  payloadWith('publication', Publication, 'The publication after the change.'),
)

builder.relayMutationField(
  'updateReply',
  null,
  {
    args: builder.args((t) => ({
      input: t.field({ type: UpdatePostInput, required: true, description: 'The input of the mutation.' }),
    })),
    permission: permissions.editReply,
    cost,
    resolve: (_root, { input }, context, info) => edit(input, permissions.editReply, context, info),
    description:
      "Edits one of the viewer's replies. Errors: `NOT_FOUND`, also for a post; `FORBIDDEN` if its author is somebody else.",
  },
  payloadWith('reply', Reply, 'The reply after the change.'),
)

const { inputType: DeletePostInput } = builder.relayMutationField(
  'deletePost',
  {
    inputFields: (t) => ({ uuid: t.field(ownUuid), ifUnchangedSince: t.field(ifPublicationUnchangedSince) }),
  },
  {
    permission: permissions.deletePublication,
    resolve: (_root, { input }, context, info) => remove(input, permissions.deletePublication, context, info),
    description:
      "Deletes one of the viewer's posts or replies; its own replies stay. Errors: `NOT_FOUND`, `FORBIDDEN` if its author is somebody else.",
  },
  payloadWith('publication', Publication, 'The publication just before its deletion.'),
)

builder.relayMutationField(
  'deleteReply',
  null,
  {
    args: builder.args((t) => ({
      input: t.field({ type: DeletePostInput, required: true, description: 'The input of the mutation.' }),
    })),
    permission: permissions.deleteReply,
    resolve: (_root, { input }, context, info) => remove(input, permissions.deleteReply, context, info),
    description:
      "Deletes one of the viewer's replies; its own replies stay. Errors: `NOT_FOUND`, also for a post; `FORBIDDEN` if its author is somebody else.",
  },
  payloadWith('reply', Reply, 'The reply just before its deletion.'),
)
