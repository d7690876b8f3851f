import { graphql } from '../../engine/rest/graphql.ts'
import type { ListOwner } from '../../engine/rest/list.ts'
import { Component, constant, objectOf, uuid } from '../../engine/rest/openapi/json.ts'
import { computed, lowerCase, seconds, view } from '../../engine/rest/view.ts'
import {
  applicationView,
  authorView,
  mentionedUserView,
  sampleApplication,
  sampleUser,
  sampleViewer,
} from '../accounts/rest-views.ts'
import { contentBounds, maxLanguages, warnedBounds, warningMarks } from '../base/bounds.ts'
import { maxHashtags, maxMentions } from '../base/entities.ts'
import { lengthOf } from '../base/input-rules.ts'

/** Describes operations that serve both kinds. */
export const eitherKind = 'Supports posts and replies. The first set of scopes is for posts, the second for replies.'

/** Describes operations that serve one kind. */
export const repliesOnly = 'Supports replies only; a post is not found.'

/** The hashtag of the examples. */
export const sampleHashtag = 'birds'

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
  repostCount: 1,
  viewerHasReposted: false,
  quotable: true,
  quoteCount: 0,
  quotedUuid: null,
  quoted: null,
  createdAt: '2026-07-26T12:34:56.000Z',
  editedAt: null,
  audience: 'EVERYBODY' as const,
  warning: null,
  language: 'en',
  viewerHasBookmarked: false,
  mentions: [],
  hashtags: [],
  version: '5',
}

/** A reply of the viewer to the sample post. */
export const sampleReply = {
  uuid: '019ab2c4-a041-7f6d-8c33-8e4f50617283',
  author: sampleViewer,
  content: '@henk How far is the sea, #birds?',
  from: null,
  locked: false,
  replyCount: 0,
  likeCount: 0,
  viewerHasLiked: false,
  repostCount: 0,
  viewerHasReposted: false,
  quotable: true,
  quoteCount: 0,
  quotedUuid: null,
  quoted: null,
  createdAt: '2026-07-26T12:40:00.000Z',
  editedAt: '2026-07-26T12:41:00.000Z',
  audience: 'EVERYBODY' as const,
  warning: null,
  language: 'en',
  viewerHasBookmarked: false,
  mentions: [{ start: 0, end: 5, user: sampleUser }],
  hashtags: [{ start: 26, end: 32, hashtag: { name: sampleHashtag } }],
  version: '2',
  parentUuid: samplePost.uuid,
  parent: samplePost,
}

const mentionView = view(
  'Mention',
  'Mention',
  'A mention of an account in a text.',
  { start: 0, end: 5, user: sampleUser },
  { start: 'start', end: 'end', user: ['user', mentionedUserView] },
)

const usedHashtagView = view(
  'UsedHashtag',
  'Hashtag',
  'A hashtag that a text has.',
  { name: sampleHashtag },
  { name: 'name' },
)

const hashtagUseView = view(
  'HashtagUse',
  'HashtagUse',
  'A hashtag in a text.',
  { start: 26, end: 32, hashtag: { name: sampleHashtag } },
  { start: 'start', end: 'end', hashtag: ['hashtag', usedHashtagView] },
)

const author = ['author', authorView] as const
/** Clients that know no warnings show the text. */
const content = computed(
  graphql('fragment WarnedContent on Publication { content warning }'),
  ({ content, warning }, { isFull }) =>
    isFull || warning === null ? content : `${warningMarks.before}${warning}${warningMarks.after}${content}`,
  {
    type: 'string',
    minLength: warnedBounds.min,
    maxLength: warnedBounds.max,
    pattern: warnedBounds.pattern.source,
    description:
      `The text: ${lengthOf(contentBounds)}. If it has a warning, that is in front of it as ${warningMarks.words}, ` +
      'but with `view=full` only in `warning`. Characters are Unicode code points.',
  },
)
const created_at = ['createdAt', seconds] as const
const counters = { reply_count: 'replyCount', like_count: 'likeCount', has_liked: 'viewerHasLiked' } as const

/** What only the full view of a post or a reply has. */
const full = {
  audience: ['audience', lowerCase],
  edited_at: ['editedAt', seconds],
  has_bookmarked: 'viewerHasBookmarked',
  repost_count: 'repostCount',
  has_reposted: 'viewerHasReposted',
  quotable: 'quotable',
  quote_count: 'quoteCount',
  mentions: ['mentions', mentionView, { maxItems: maxMentions }],
  hashtags: ['hashtags', hashtagUseView, { maxItems: maxHashtags }],
  version: 'version',
  warning: 'warning',
  language: 'language',
} as const

/** What only the full view has of a publication that another one refers to, or that refers to others by uuid. */
const fullReference = { ...full, quote: 'quotedUuid' } as const

const parentView = view(
  'Parent',
  'Publication',
  'The parent of a reply, or what a post or reply quotes, without its own parent and quote.',
  samplePost,
  {
    uuid: 'uuid',
    author,
    content,
    created_at,
    deleted: ['uuid', () => false, { ...constant(false), description: 'Whether it was deleted or is hidden.' }],
  },
  { from: ['from', applicationView], locked: 'locked', ...counters, ...fullReference },
)

const nothing = (description: string) => ({ type: 'null', description })

const deletedParent = new Component(
  'DeletedParent',
  objectOf(
    {
      uuid: { ...uuid, description: 'The uuid of the publication.' },
      author: nothing('The author is not disclosed.'),
      content: nothing('The text is erased or hidden.'),
      created_at: nothing('The creation time is not disclosed.'),
      deleted: { ...constant(true), description: 'Whether it was deleted or is hidden.' },
    },
    'The parent of a reply, or what a post or reply quotes, after it was deleted, or if it is hidden from the viewer.',
  ),
)

/** What stands for a publication that was deleted or is hidden, where another one refers to it. */
const placeOf = (uuid: string) => ({ uuid, author: null, content: null, created_at: null, deleted: true })

const parentOfReply = graphql(
  'fragment ParentOfReply on Publication { ... on Reply { parentUuid parent { ...Parent } } }',
  [parentView.fragment],
)

const quoteOfPost = graphql('fragment QuoteOfPost on Publication { quotedUuid quoted { ...Parent } }', [
  parentView.fragment,
])

/** A post object (section 2.1 of the interface), of a post or of a reply. */
export const postView = view(
  'Post',
  'Publication',
  'A post or a reply.',
  samplePost,
  {
    uuid: 'uuid',
    parent: computed(
      parentOfReply,
      (it, extent) => {
        if (!('parentUuid' in it)) return null
        if (it.parent) return parentView.object(it.parent, extent)
        return placeOf(it.parentUuid)
      },
      {
        anyOf: [parentView.schema, deletedParent, { type: 'null' }],
        description: 'The parent of a reply. Null for a post.',
      },
    ),
    author,
    content,
    from: ['from', applicationView],
    locked: 'locked',
    ...counters,
    created_at,
  },
  {
    ...full,
    quote: computed(
      quoteOfPost,
      ({ quotedUuid, quoted }, extent) =>
        quoted ? parentView.object(quoted, extent) : quotedUuid === null ? null : placeOf(quotedUuid),
      {
        anyOf: [parentView.schema, deletedParent, { type: 'null' }],
        description: 'The publication that it quotes. Null if it quotes none.',
      },
    ),
  },
)

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
    uuid: 'uuid',
    parent: 'parentUuid',
    author: computed(ofReply, (it) => it.author.uuid, { ...uuid, description: 'The uuid of the author.' }),
    content,
    from: computed(ofReply, (it) => it.from?.uuid ?? null, {
      ...uuid,
      type: ['string', 'null'],
      description: 'The uuid of the application that sent the reply, or null.',
    }),
    lock: 'locked',
    replies: computed(ofReply, (it, extent) => it.replies.nodes.map((node) => postView.object(node, extent)), {
      type: 'array',
      items: postView.schema,
      maxItems: 5,
      description: 'The first page of its replies, oldest first.',
    }),
  },
  { ...counters, created_at, ...fullReference },
)

const postOfReply = graphql('fragment PostOfReply on Reply { ...Post }', [postView.fragment])
const reply = computed(postOfReply, postView.object, postView.schema)

/** The response of send reply (section 2.3). */
export const sentReplyView = view('SentReply', 'Reply', 'A new reply.', sampleReply, {
  uuid: 'uuid',
  parent: 'parentUuid',
  reply,
})

/** The response of update reply and delete reply (section 2.3). */
export const changedReplyView = view('ChangedReply', 'Reply', 'A reply that was updated or deleted.', sampleReply, {
  uuid: 'uuid',
  reply,
})

/** A publication to which a list belongs. */
export const postOwner: ListOwner = {
  type: 'Publication',
  field: 'post(uuid: $uuid)',
  variables: '$uuid: UUID!',
  key: 'uuid',
  property: 'post',
  description: 'The uuid of the post or reply.',
}

/** A hashtag to which a list belongs. */
export const hashtagOwner: ListOwner = {
  type: 'Hashtag',
  field: 'hashtag(name: $name)',
  variables: '$name: String!',
  key: 'name',
  property: 'tag',
  description: 'The name of the hashtag, without its sign.',
}

/** How a list selects publications by their languages: parameters of the query, and their arguments. */
export const languageFilter = {
  query: {
    language: {
      schema: { maxItems: maxLanguages },
      description:
        'Only posts in a language (BCP 47); `en` also selects `en-GB`. Repeat it for up to ' +
        `${maxLanguages}. A page may end early.`,
      example: ['en', 'nl'],
    },
    include_unknown_language: {
      description: 'Whether `language` also selects posts without a language.',
      example: 'true',
    },
  },
  arguments: 'languages: $language, includeUnknownLanguage: $include_unknown_language',
  variables: '$language: [LanguageTag!]! = [], $include_unknown_language: Boolean! = true',
} as const
