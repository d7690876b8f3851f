import { z } from 'zod'
import { contentBounds } from '../../domain/publications.ts'
import { nameBounds } from '../../domain/text.ts'
import type { PublicationData, ReplyData } from '../graphql.ts'
import { components, count, matching, seconds, text, time, uuid } from './types.ts'
import { author, authorObject, sampleUser, sampleViewer } from './users.ts'

const application = z
  .object({
    uuid: uuid.describe('The uuid of the application.'),
    name: text(nameBounds).describe('The name.'),
    website: matching(/^https?:\/\/\S+$/, 2000)
      .nullable()
      .describe('The http or https URL of its website, or null.'),
  })
  .describe('An application that tokens are issued to.')
  .register(components, { id: 'Application' })

/** The text of a post or reply. */
export const content = text(contentBounds).describe(
  'The text as it was sent. Its length counts in Unicode code points.',
)

const publicationUuid = uuid.describe('The uuid of the post or reply.')
const created_at = time.describe('The creation time, in Unix seconds.')

const parent = z
  .object({
    uuid: publicationUuid,
    author,
    content,
    created_at,
    deleted: z.literal(false).describe('Whether the parent was deleted.'),
  })
  .describe('The parent of a reply, without its own parent.')
  .register(components, { id: 'Parent' })

const deletedParent = z
  .object({
    uuid: publicationUuid,
    author: z.null().describe('Null, since the author of a deleted parent is not disclosed.'),
    content: z.null().describe('Null, since the deletion erased the text.'),
    created_at: z.null().describe('Null, since the creation time of a deleted parent is not disclosed.'),
    deleted: z.literal(true).describe('Whether the parent was deleted.'),
  })
  .describe('The parent of a reply, after it was deleted.')
  .register(components, { id: 'DeletedParent' })

/** A post object (section 2.1 of the interface), of a post or of a reply. */
export const post = z
  .object({
    uuid: publicationUuid,
    parent: z.union([parent, deletedParent, z.null()]).describe('The parent of a reply. Null for a post.'),
    author,
    content,
    from: application.nullable().describe('The application that sent it, or null.'),
    locked: z.boolean().describe('Whether only the author may reply to it. Called `lock` in a reply object.'),
    reply_count: count.describe('The number of replies.'),
    like_count: count.describe('The number of likes.'),
    has_liked: z.boolean().describe('Whether the owner of the token likes it.'),
    created_at,
  })
  .describe('A post or a reply.')

/** The response of update reply and delete reply (section 2.3). */
export const changedReply = z
  .object({ uuid: uuid.describe('The uuid of the reply.'), reply: post })
  .describe('A reply that was updated or deleted.')

/** What a toggle of a like did, in lower case. */
export const likeAction = z.enum({ LIKED: 'liked', UNLIKED: 'unliked' }).describe('The action that was taken.')

type Post = z.infer<typeof post>

/** Makes a post object. */
export function postObject(data: PublicationData): Post {
  const { uuid, author, content, from, locked } = data
  return {
    uuid,
    parent: 'parentUuid' in data ? parentObject(data) : null,
    author: authorObject(author),
    content,
    from: from && { uuid: from.uuid, name: from.name, website: from.website },
    locked,
    reply_count: data.replyCount,
    like_count: data.likeCount,
    has_liked: data.viewerHasLiked,
    created_at: seconds(data.createdAt),
  }
}

function parentObject({ parentUuid: uuid, parent }: ReplyData): Post['parent'] {
  if (parent === null) return { uuid, author: null, content: null, created_at: null, deleted: true }
  const { author, content, createdAt } = parent
  return { uuid, author: authorObject(author), content, created_at: seconds(createdAt), deleted: false }
}

/** Makes the response of update reply and delete reply. */
export function changedReplyObject(reply: ReplyData): z.infer<typeof changedReply> {
  return { uuid: reply.uuid, reply: postObject(reply) }
}

/** A post of the sample user's. */
export const samplePost: PublicationData = {
  uuid: '019ab2c4-9f30-7e5c-8b22-7d3e4f506172',
  author: sampleUser,
  content: 'Nest for rent, sea view.',
  from: { uuid: '019ab2c4-7d1e-7000-8000-0000000000a1', name: 'Loom', website: 'https://loom.example/' },
  locked: false,
  replyCount: 1,
  likeCount: 2,
  viewerHasLiked: true,
  createdAt: '2026-07-26T12:34:56.000Z',
}

/** A reply of the owner of the token to the sample post. */
export const sampleReply: ReplyData = {
  uuid: '019ab2c4-a041-7f6d-8c33-8e4f50617283',
  author: sampleViewer,
  content: 'How far is the sea?',
  from: null,
  locked: false,
  replyCount: 0,
  likeCount: 0,
  viewerHasLiked: false,
  createdAt: '2026-07-26T12:40:00.000Z',
  parentUuid: samplePost.uuid,
  parent: samplePost,
}

components.add(post, { id: 'Post', example: postObject(samplePost) })
components.add(changedReply, { id: 'ChangedReply', example: changedReplyObject(sampleReply) })
