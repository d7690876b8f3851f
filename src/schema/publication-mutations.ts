import type { GraphQLResolveInfo } from 'graphql'
import type { Client } from '../data/client.ts'
import { accessTo, requireKind } from '../domain/access.ts'
import { deletePublication, editPublication, type NewPublication, sendPublication } from '../domain/publications.ts'
import { refusedCharacters } from '../domain/text.ts'
import { publicationOfPayload } from '../reads/publications.ts'
import { builder } from './builder.ts'
import { type Changed, changed, changedBy, composed } from './composed.ts'
import { type Context, runIn, sessionOf } from './context.ts'
import { Publication, type PublicationRow, Reply, type ReplyRow } from './refs.ts'

const content = `1 to 500 characters (Unicode code points), not blank, without ${refusedCharacters}; stored as sent.`
const locked = 'Whether its author alone may reply to it.'
const from = "The application of the token, or null for the same: another's is refused with `FORBIDDEN`."

const SendPostInput = builder.inputType('SendPostInput', {
  description: 'A post; with `parent`, a reply.',
  fields: (t) => ({
    content: t.string({ required: true, description: content }),
    locked: t.boolean({ description: locked }),
    parent: t.field({ type: 'UUID', description: 'What to reply to.' }),
    from: t.field({ type: 'UUID', description: from }),
  }),
})

const SendReplyInput = builder.inputType('SendReplyInput', {
  description: 'A reply.',
  fields: (t) => ({
    parent: t.field({ type: 'UUID', required: true, description: 'What to reply to.' }),
    content: t.string({ required: true, description: content }),
    locked: t.boolean({ description: locked }),
    from: t.field({ type: 'UUID', description: from }),
  }),
})

const UpdatePostInput = builder.inputType('UpdatePostInput', {
  description: "Changes of a publication of the viewer's: at least one. What is null or missing stays.",
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Which publication.' }),
    content: t.string({ description: content }),
    locked: t.boolean({ description: locked }),
  }),
})

const DeletePostInput = builder.inputType('DeletePostInput', {
  description: "Which publication of the viewer's to delete.",
  fields: (t) => ({ uuid: t.field({ type: 'UUID', required: true, description: 'Which publication.' }) }),
})

const publicationPayload = (name: string, description: string, what: string) =>
  builder.objectRef<Changed>(name).implement({
    description,
    fields: (t) => ({
      publication: t.field({
        type: Publication,
        description: what,
        ...changed<PublicationRow>(publicationOfPayload, 'publication'),
      }),
    }),
  })

const replyPayload = (name: string, description: string, what: string) =>
  builder.objectRef<Changed>(name).implement({
    description,
    fields: (t) => ({
      reply: t.field({ type: Reply, description: what, ...changed<ReplyRow>(publicationOfPayload, 'reply') }),
    }),
  })

const asItIs = 'As it is now.'
const asItWas = 'As it was just before.'
const SendPostPayload = publicationPayload('SendPostPayload', 'What was sent.', asItIs)
const SendReplyPayload = replyPayload('SendReplyPayload', 'The reply that was sent.', asItIs)
const UpdatePostPayload = publicationPayload('UpdatePostPayload', 'What was changed.', asItIs)
const UpdateReplyPayload = replyPayload('UpdateReplyPayload', 'The reply that was changed.', asItIs)
const DeletePostPayload = publicationPayload('DeletePostPayload', 'What was deleted.', asItWas)
const DeleteReplyPayload = replyPayload('DeleteReplyPayload', 'The reply that was deleted.', asItWas)

const accessOf = (context: Context, info: GraphQLResolveInfo) =>
  accessTo(`${info.parentType.name}.${info.fieldName}`, sessionOf(context).scopes)

async function send(sent: NewPublication, context: Context, info: GraphQLResolveInfo): Promise<Changed> {
  requireKind(accessOf(context, info), sent.parent == null ? 'post' : 'reply')
  const id = await sendPublication(context.database.write, sessionOf(context), sent)
  return { changed: await changedBy(context, info, id, `read publication ${id}`) }
}

type Edit = Parameters<typeof editPublication>[3]

async function edit(input: Edit & { uuid: string }, context: Context, info: GraphQLResolveInfo): Promise<Changed> {
  await editPublication(context.database.write, sessionOf(context), input.uuid, input, accessOf(context, info))
  return { changed: await changedBy(context, info, input.uuid, `read publication ${input.uuid}`) }
}

async function remove({ uuid }: { uuid: string }, context: Context, info: GraphQLResolveInfo): Promise<Changed> {
  const snapshot = (transaction: Client) => context.reads.within(runIn(transaction)).byId(info, uuid)
  return {
    changed: composed<object>(
      await deletePublication(context.database, sessionOf(context), uuid, accessOf(context, info), snapshot),
    ),
  }
}

builder.mutationFields((t) => ({
  sendPost: t.field({
    type: SendPostPayload,
    description:
      'Sends a post, or with `parent` a reply. Errors: `POST_LOCKED`, `NOT_FOUND` for the parent, `FORBIDDEN` for `from`.',
    args: { input: t.arg({ type: SendPostInput, required: true, description: 'What to send.' }) },
    resolve: (_root, { input }, context, info) => send(input, context, info),
  }),
  updatePost: t.field({
    type: UpdatePostPayload,
    description: "Changes a post or a reply of the viewer's. Errors: `NOT_FOUND`, `FORBIDDEN` when it is another's.",
    args: { input: t.arg({ type: UpdatePostInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, context, info) => edit(input, context, info),
  }),
  deletePost: t.field({
    type: DeletePostPayload,
    description:
      "Deletes a post or a reply of the viewer's; its replies stay. Errors: `NOT_FOUND`, `FORBIDDEN` when it is another's.",
    args: { input: t.arg({ type: DeletePostInput, required: true, description: 'What to delete.' }) },
    resolve: (_root, { input }, context, info) => remove(input, context, info),
  }),
  sendReply: t.field({
    type: SendReplyPayload,
    description: 'Sends a reply. Errors: `POST_LOCKED`, `NOT_FOUND` for the parent, `FORBIDDEN` for `from`.',
    args: { input: t.arg({ type: SendReplyInput, required: true, description: 'What to send.' }) },
    resolve: (_root, { input }, context, info) => send(input, context, info),
  }),
  updateReply: t.field({
    type: UpdateReplyPayload,
    description:
      "Changes a reply of the viewer's. Errors: `NOT_FOUND`, also for a post; `FORBIDDEN` when it is another's.",
    args: { input: t.arg({ type: UpdatePostInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, context, info) => edit(input, context, info),
  }),
  deleteReply: t.field({
    type: DeleteReplyPayload,
    description:
      "Deletes a reply of the viewer's; its replies stay. Errors: `NOT_FOUND`, also for a post; `FORBIDDEN` when it is another's.",
    args: { input: t.arg({ type: DeletePostInput, required: true, description: 'What to delete.' }) },
    resolve: (_root, { input }, context, info) => remove(input, context, info),
  }),
}))
