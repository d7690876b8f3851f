import { z } from 'zod'
import { graphql } from '../../engine/rest/graphql.ts'
import type { ListOwner } from '../../engine/rest/list.ts'
import { components, count, matching, seconds, text, time, uuid } from '../../engine/rest/types.ts'
import { computed, view } from '../../engine/rest/view.ts'
import { authorView, sampleUser, sampleViewer } from '../accounts/rest-views.ts'
import { contentBounds, nameBounds } from '../base/bounds.ts'
import { longestHashtag } from '../base/entities.ts'

const sampleApplication = {
  uuid: '019ab2c4-7d1e-7000-8000-0000000000a1',
  name: 'Loom',
  website: 'https://loom.example/',
}

/** A post of the sample user's. */
export const samplePost = {
  uuid: '019ab2c4-9f30-7e5c-8b22-7d3e4f506172',
  author: sampleUser,
  content: 'Nest for rent, sea view.',
  from: sampleApplication,
  locked: false,
  replyCount: 1,
  likeCount: 2,
  viewerHasLiked: true,
  createdAt: '2026-07-26T12:34:56.000Z',
}

/** A reply of the viewer to the sample post. */
export const sampleReply = {
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

/** The hashtag of the examples. */
export const sampleHashtag = 'birds'

const applicationView = view(
  'Application',
  'Application',
  'An application that tokens are issued to.',
  sampleApplication,
  {
    uuid: ['uuid', uuid],
    name: ['name', text(nameBounds)],
    website: ['website', matching(/^https?:\/\/\S+$/, 2000).nullable()],
  },
)

const content = ['content', text(contentBounds)] as const
const author = ['author', authorView.schema, authorView] as const
const created_at = ['createdAt', time, seconds] as const

const parentView = view('Parent', 'Publication', 'The parent of a reply, without its own parent.', samplePost, {
  uuid: ['uuid', uuid],
  author,
  content,
  created_at,
  deleted: ['uuid', z.literal(false).describe('Whether the parent was deleted.'), () => false as const],
})

const deletedParent = z
  .object({
    uuid: uuid.describe('The uuid of the parent.'),
    author: z.null().describe('The author of a deleted parent is not disclosed.'),
    content: z.null().describe('The deletion erased the text.'),
    created_at: z.null().describe('The creation time of a deleted parent is not disclosed.'),
    deleted: z.literal(true).describe('Whether the parent was deleted.'),
  })
  .describe('The parent of a reply, after it was deleted.')
  .register(components, { id: 'DeletedParent' })

const parentOfReply = graphql(
  'fragment ParentOfReply on Publication { ... on Reply { parentUuid parent { ...Parent } } }',
  [parentView.fragment],
)

/** A post object (section 2.1 of the interface), of a post or of a reply. */
export const postView = view('Post', 'Publication', 'A post or a reply.', samplePost, {
  uuid: ['uuid', uuid],
  parent: computed(
    parentOfReply,
    z.union([parentView.schema, deletedParent, z.null()]).describe('The parent of a reply. Null for a post.'),
    (it) => {
      if (!('parentUuid' in it)) return null
      if (it.parent) return parentView.object(it.parent)
      return { uuid: it.parentUuid, author: null, content: null, created_at: null, deleted: true as const }
    },
  ),
  author,
  content,
  from: ['from', applicationView.schema.nullable(), applicationView],
  locked: ['locked', z.boolean()],
  reply_count: ['replyCount', count],
  like_count: ['likeCount', count],
  has_liked: ['viewerHasLiked', z.boolean()],
  created_at,
})

const ofReply = graphql(
  'fragment OfReply on Reply { author { uuid } from { uuid } replies(first: 5) { nodes { ...Post } } }',
  [postView.fragment],
)

/** A reply object (section 2.3): everything around the reply is a uuid. */
export const replyView = view(
  'Reply',
  'Reply',
  'A reply in the format of the reply endpoints, which refers to other objects by uuid.',
  { ...sampleReply, replies: { nodes: [] } },
  {
    uuid: ['uuid', uuid],
    parent: ['parentUuid', uuid],
    author: computed(ofReply, uuid.describe('The uuid of the author.'), (it) => it.author.uuid),
    content,
    from: computed(
      ofReply,
      uuid.nullable().describe('The uuid of the application that sent the reply, or null.'),
      (it) => it.from?.uuid ?? null,
    ),
    lock: ['locked', z.boolean()],
    replies: computed(
      ofReply,
      z.array(postView.schema).max(5).describe('The first page of its replies, oldest first.'),
      (it) => it.replies.nodes.map(postView.object),
    ),
  },
)

const postOfReply = graphql('fragment PostOfReply on Reply { ...Post }', [postView.fragment])
const reply = computed(postOfReply, postView.schema, postView.object)

/** The response of send reply (section 2.3). */
export const sentReplyView = view('SentReply', 'Reply', 'A new reply.', sampleReply, {
  uuid: ['uuid', uuid],
  parent: ['parentUuid', uuid],
  reply,
})

/** The response of update reply and delete reply (section 2.3). */
export const changedReplyView = view('ChangedReply', 'Reply', 'A reply that was updated or deleted.', sampleReply, {
  uuid: ['uuid', uuid],
  reply,
})

/** A publication to which a list belongs. */
export const postOwner: ListOwner = {
  name: 'post',
  type: 'Publication',
  field: 'post(uuid: $uuid)',
  variables: '$uuid: UUID!',
  key: 'uuid',
  property: 'post',
  schema: uuid.describe('The uuid of the post or reply.'),
}

/** A hashtag to which a list belongs. */
export const hashtagOwner: ListOwner = {
  name: 'hashtag',
  type: 'Hashtag',
  field: 'hashtag(name: $name)',
  variables: '$name: String!',
  key: 'name',
  property: 'tag',
  schema: matching(/^[^\s#]+$/, longestHashtag, 1).describe('The name of the hashtag, without its sign.'),
}
