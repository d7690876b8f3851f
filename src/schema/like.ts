import type { GraphQLResolveInfo } from 'graphql'
import { setLike } from '../domain/likes.ts'
import { likePublication, likeReply, type Permission } from '../domain/permissions.ts'
import { objectOfPayload } from '../reads/read.ts'
import { builder } from './builder.ts'
import type { Context } from './context.ts'
import { type MutationPayload, readPayload } from './payload.ts'
import { Publication, Reply } from './publication.ts'

const LikeAction = builder.enumType('LikeAction', {
  description: 'Whether a publication was liked or unliked.',
  values: {
    LIKED: { value: 'liked', description: 'The viewer now likes the publication.' },
    UNLIKED: { value: 'unliked', description: 'The viewer no longer likes the publication.' },
  } as const,
})

const ToggleLikeInput = builder.inputType('ToggleLikeInput', {
  description: 'The publication to like or to unlike.',
  fields: (t) => ({ uuid: t.field({ type: 'UUID', required: true, description: 'Identifier of the publication.' }) }),
})

const SetLikeInput = builder.inputType('SetLikeInput', {
  description: 'The like to set.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Identifier of the publication.' }),
    liked: t.boolean({ required: true, description: 'Whether the viewer should like it.' }),
  }),
})

type LikeRow = MutationPayload & { readonly action: 'liked' | 'unliked' }

const LikePayload = builder.objectRef<LikeRow>('LikePayload').implement({
  description: 'The result of liking or unliking a publication.',
  fields: (t) => ({
    action: t.expose('action', { type: LikeAction, description: 'What the mutation did.' }),
    publication: t.field({
      type: Publication,
      description: 'The publication after the change.',
      read: objectOfPayload,
    }),
  }),
})

const ToggleReplyLikePayload = builder.objectRef<LikeRow>('ToggleReplyLikePayload').implement({
  description: 'The result of liking or unliking a reply.',
  fields: (t) => ({
    action: t.expose('action', { type: LikeAction, description: 'What the mutation did.' }),
    reply: t.field({ type: Reply, description: 'The reply after the change.', read: objectOfPayload }),
  }),
})

type LikeRequest = { readonly uuid: string; readonly liked: boolean | null; readonly permission: Permission }

async function like(
  { uuid, liked, permission }: LikeRequest,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<LikeRow> {
  const action = await setLike(context.database, context.session, uuid, liked, permission)
  return { ...(await readPayload(context, info, uuid, `read publication ${uuid}`)), action }
}

builder.mutationFields((t) => ({
  toggleLike: t.field({
    type: LikePayload,
    permission: likePublication,
    description:
      'Likes a publication, or unlikes it if the viewer already likes it. Not idempotent: `setLike` is. Errors: `NOT_FOUND`.',
    args: {
      input: t.arg({ type: ToggleLikeInput, required: true, description: 'The publication to like or to unlike.' }),
    },
    resolve: (_root, { input: { uuid } }, context, info) =>
      like({ uuid, liked: null, permission: likePublication }, context, info),
  }),
  toggleReplyLike: t.field({
    type: ToggleReplyLikePayload,
    permission: likeReply,
    description:
      'Likes a reply, or unlikes it if the viewer already likes it. Not idempotent: `setLike` is. Errors: `NOT_FOUND`, also for a post.',
    args: { input: t.arg({ type: ToggleLikeInput, required: true, description: 'The reply to like or to unlike.' }) },
    resolve: (_root, { input: { uuid } }, context, info) =>
      like({ uuid, liked: null, permission: likeReply }, context, info),
  }),
  setLike: t.field({
    type: LikePayload,
    permission: likePublication,
    description: 'Likes or unlikes a publication. Idempotent. Errors: `NOT_FOUND`.',
    args: { input: t.arg({ type: SetLikeInput, required: true, description: 'The like to set.' }) },
    resolve: (_root, { input: { uuid, liked } }, context, info) =>
      like({ uuid, liked, permission: likePublication }, context, info),
  }),
}))
