import type { GraphQLResolveInfo } from 'graphql'
import { requirePermission } from '../domain/access.ts'
import { clientUuid } from '../domain/client-uuid.ts'
import type { Permission } from '../domain/permissions.ts'
import * as permissions from '../domain/permissions.ts'
import {
  type Condition,
  deletePublication,
  type Edit,
  editPublication,
  type NewPublication,
  sendPublication,
} from '../domain/publications.ts'
import { refusedCharacters } from '../domain/text.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { payloadBefore, payloadOf, permitted, readPayload } from './payload.ts'
import { Publication, Reply } from './publication.ts'

const content = `The text: 1 to 500 characters (Unicode code points), not blank, without ${refusedCharacters}. It is stored as sent.`
const locked = 'Whether only its author may reply to it.'
const uuid = `${clientUuid} Sending the same publication again returns the existing one. A different publication under a taken identifier is refused with \`CONFLICT\`.`
const from = 'The application of the token, which is also the default. Any other one is refused with `FORBIDDEN`.'

const ifUnchangedSince =
  'Refuses with `PRECONDITION_FAILED` if the publication was edited after this time. Pass its `editedAt`, or `createdAt` if that is null. The error has the current `version` and `editedAt` in its extensions.'

const SendPostInput = builder.inputType('SendPostInput', {
  description: 'The post to send, or with `parent` the reply.',
  fields: (t) => ({
    content: t.string({ required: true, description: content }),
    locked: t.boolean({ description: locked }),
    parent: t.field({ type: 'UUID', description: 'Identifier of the publication to reply to.' }),
    from: t.field({ type: 'UUID', description: from }),
    uuid: t.field({ type: 'UUID', description: uuid }),
  }),
})

const SendReplyInput = builder.inputType('SendReplyInput', {
  description: 'The reply to send.',
  fields: (t) => ({
    parent: t.field({ type: 'UUID', required: true, description: 'Identifier of the publication to reply to.' }),
    content: t.string({ required: true, description: content }),
    locked: t.boolean({ description: locked }),
    from: t.field({ type: 'UUID', description: from }),
    uuid: t.field({ type: 'UUID', description: uuid }),
  }),
})

const UpdatePostInput = builder.inputType('UpdatePostInput', {
  description:
    "Changes to one of the viewer's publications, at least one. Fields that are null or missing stay unchanged.",
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Identifier of the publication.' }),
    content: t.string({ description: content }),
    locked: t.boolean({ description: locked }),
    ifUnchangedSince: t.field({ type: 'DateTime', description: ifUnchangedSince }),
  }),
})

const DeletePostInput = builder.inputType('DeletePostInput', {
  description: "One of the viewer's publications, to delete.",
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Identifier of the publication.' }),
    ifUnchangedSince: t.field({ type: 'DateTime', description: ifUnchangedSince }),
  }),
})

const SendPostPayload = payloadOf('SendPostPayload', 'The result of sending a post or a reply.', 'publication', {
  type: Publication,
  description: 'The new publication.',
})
const SendReplyPayload = payloadOf('SendReplyPayload', 'The result of sending a reply.', 'reply', {
  type: Reply,
  description: 'The new reply.',
})
const UpdatePostPayload = payloadOf('UpdatePostPayload', 'The result of editing a post or a reply.', 'publication', {
  type: Publication,
  description: 'The publication after the change.',
})
const UpdateReplyPayload = payloadOf('UpdateReplyPayload', 'The result of editing a reply.', 'reply', {
  type: Reply,
  description: 'The reply after the change.',
})
const DeletePostPayload = payloadOf('DeletePostPayload', 'The result of deleting a post or a reply.', 'publication', {
  type: Publication,
  description: 'The publication just before its deletion.',
})
const DeleteReplyPayload = payloadOf('DeleteReplyPayload', 'The result of deleting a reply.', 'reply', {
  type: Reply,
  description: 'The reply just before its deletion.',
})

type EditInput = Edit & { readonly uuid: string }
type DeleteInput = Condition & { readonly uuid: string }

async function send(input: NewPublication, permission: Permission, context: Context, info: GraphQLResolveInfo) {
  requirePermission(context.session, permission, input.parent == null ? 'post' : 'reply')
  const id = await sendPublication(context.database, context.session, input)
  return readPayload(context, info, id, `read publication ${id}`)
}

async function edit(input: EditInput, permission: Permission, context: Context, info: GraphQLResolveInfo) {
  const { uuid } = input
  await editPublication(context.database, context.session, uuid, input, permission)
  return readPayload(context, info, uuid, `read publication ${uuid}`)
}

async function remove(input: DeleteInput, permission: Permission, context: Context, info: GraphQLResolveInfo) {
  const { uuid } = input
  const before = payloadBefore(context, info, uuid)
  return deletePublication(context.database, context.session, uuid, input, permission, before)
}

builder.mutationFields((t) => ({
  sendPost: t.field({
    type: SendPostPayload,
    ...permitted(permissions.sendPublication, send),
    description:
      'Sends a post, or with `parent` a reply. Errors: `POST_LOCKED` and `NOT_FOUND` for the parent, `FORBIDDEN` for `from`, `CONFLICT` for `uuid`.',
    args: { input: t.arg({ type: SendPostInput, required: true, description: 'The publication to send.' }) },
  }),
  updatePost: t.field({
    type: UpdatePostPayload,
    ...permitted(permissions.editPublication, edit),
    description:
      "Edits one of the viewer's posts or replies. Errors: `NOT_FOUND`, `FORBIDDEN` if its author is somebody else.",
    args: { input: t.arg({ type: UpdatePostInput, required: true, description: 'The changes.' }) },
  }),
  deletePost: t.field({
    type: DeletePostPayload,
    ...permitted(permissions.deletePublication, remove),
    description:
      "Deletes one of the viewer's posts or replies; its own replies stay. Errors: `NOT_FOUND`, `FORBIDDEN` if its author is somebody else.",
    args: { input: t.arg({ type: DeletePostInput, required: true, description: 'The publication to delete.' }) },
  }),
  sendReply: t.field({
    type: SendReplyPayload,
    ...permitted(permissions.sendReply, send),
    description:
      'Sends a reply. Errors: `POST_LOCKED` and `NOT_FOUND` for the parent, `FORBIDDEN` for `from`, `CONFLICT` for `uuid`.',
    args: { input: t.arg({ type: SendReplyInput, required: true, description: 'The publication to send.' }) },
  }),
  updateReply: t.field({
    type: UpdateReplyPayload,
    ...permitted(permissions.editReply, edit),
    description:
      "Edits one of the viewer's replies. Errors: `NOT_FOUND`, also for a post; `FORBIDDEN` if its author is somebody else.",
    args: { input: t.arg({ type: UpdatePostInput, required: true, description: 'The changes.' }) },
  }),
  deleteReply: t.field({
    type: DeleteReplyPayload,
    ...permitted(permissions.deleteReply, remove),
    description:
      "Deletes one of the viewer's replies; its own replies stay. Errors: `NOT_FOUND`, also for a post; `FORBIDDEN` if its author is somebody else.",
    args: { input: t.arg({ type: DeletePostInput, required: true, description: 'The publication to delete.' }) },
  }),
}))
