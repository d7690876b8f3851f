import type { GraphQLResolveInfo } from 'graphql'
import { accessTo } from '../domain/access.ts'
import { setLike } from '../domain/likes.ts'
import { publicationOfPayload } from '../reads/publications.ts'
import { builder } from './builder.ts'
import { type Changed, changed, changedBy } from './composed.ts'
import { type Context, sessionOf } from './context.ts'
import { Publication, type PublicationRow } from './refs.ts'

const LikeAction = builder.enumType('LikeAction', {
  description: 'Whether the viewer likes the publication now.',
  values: {
    LIKED: { value: 'liked', description: 'The viewer likes it now.' },
    UNLIKED: { value: 'unliked', description: 'The viewer does not like it now.' },
  } as const,
})

const ToggleLikeInput = builder.inputType('ToggleLikeInput', {
  description: 'Which like to flip.',
  fields: (t) => ({ uuid: t.field({ type: 'UUID', required: true, description: 'Which publication.' }) }),
})

const SetLikeInput = builder.inputType('SetLikeInput', {
  description: 'Which like to set.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Which publication.' }),
    liked: t.boolean({ required: true, description: 'Whether the viewer is to like it.' }),
  }),
})

type LikeRow = Changed & { readonly action: 'liked' | 'unliked' }

const LikePayload = builder.objectRef<LikeRow>('LikePayload').implement({
  description: 'The result of liking or unliking a publication.',
  fields: (t) => ({
    action: t.expose('action', { type: LikeAction, description: 'What was done.' }),
    publication: t.field({
      type: Publication,
      description: 'The publication as it is now.',
      ...changed<PublicationRow>(publicationOfPayload, 'publication'),
    }),
  }),
})

async function like(uuid: string, liked: boolean | null, context: Context, info: GraphQLResolveInfo): Promise<LikeRow> {
  const session = sessionOf(context)
  const access = accessTo(`${info.parentType.name}.${info.fieldName}`, session.scopes)
  const action = await setLike(context.database, session, uuid, liked, access)
  return { changed: await changedBy(context, info, uuid, `read publication ${uuid}`), action }
}

builder.mutationFields((t) => ({
  toggleLike: t.field({
    type: LikePayload,
    description:
      'Likes a publication, or unlikes it when the viewer likes it. Not idempotent: see `setLike`. Errors: `NOT_FOUND`.',
    args: { input: t.arg({ type: ToggleLikeInput, required: true, description: 'Which like to flip.' }) },
    resolve: (_root, { input: { uuid } }, context, info) => like(uuid, null, context, info),
  }),
  setLike: t.field({
    type: LikePayload,
    description: 'Likes or unlikes a publication, whatever was before. Errors: `NOT_FOUND`.',
    args: { input: t.arg({ type: SetLikeInput, required: true, description: 'Which like to set.' }) },
    resolve: (_root, { input: { uuid, liked } }, context, info) => like(uuid, liked, context, info),
  }),
}))
