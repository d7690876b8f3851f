import { graphql } from '../../engine/rest/graphql.ts'
import { descriptionOf } from '../../engine/rest/openapi/resolve.ts'
import { operation } from '../../engine/rest/operation.ts'
import type { Variables } from '../../engine/rest/variables.ts'
import { view } from '../../engine/rest/view.ts'
import { warningBounds, warningMarks } from '../base/bounds.ts'
import {
  changedReplyView,
  eitherKind,
  postView,
  repliesOnly,
  replyView,
  samplePost,
  sampleReply,
  sentReplyView,
} from './rest-views.ts'

/** Takes the warning from a content that has it in front, as responses do, so that clients can send back what they read. */
function warningApart(fields: Variables): Variables {
  const { content, warning: own } = fields
  const [, warning = '', text] =
    (typeof content === 'string' && own === undefined && warningMarks.inText.exec(content)) || []
  return warning !== '' && !warningBounds.fault?.(warning) ? { ...fields, warning, content: text } : fields
}

const inFront = `Without a \`warning\`, \`content\` can begin with one, as ${warningMarks.words}.`

/** Send post (section 4.1). */
export const sendPost = operation({
  route: 'POST /post',
  summary: 'Send a post',
  description: `With \`parent\`, sends a reply. The first set of scopes is for posts, the second for replies. ${inFront}`,
  body: {
    example: { content: sampleReply.content, locked: false },
    aliases: { lock: 'locked' },
    meaning: warningApart,
  },
  document: graphql(
    `mutation SendPost(
      $content: String!, $locked: Boolean, $parent: UUID, $from: UUID, $uuid: UUID, $audience: Audience, $quote: UUID, $quotable: Boolean,
      $warning: String, $language: LanguageTag
    ) {
      sendPost(input: {
        content: $content, locked: $locked, parent: $parent, from: $from, uuid: $uuid, audience: $audience,
        quote: $quote, quotable: $quotable, warning: $warning, language: $language
      }) { publication { ...Post editedAt } }
    }`,
    [postView.fragment],
  ),
  view: postView,
  of: ({ sendPost }) => sendPost.publication,
  result: 'The new post, or the existing one if it was sent before under the same `uuid`.',
  tagged: { resource: ({ sendPost }) => sendPost.publication },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})

/** Send reply (section 4.3). */
export const sendReply = operation({
  route: 'POST /reply',
  summary: 'Send a reply',
  description: `Replies to a post or to a reply, unless another user has locked it. ${inFront}`,
  body: {
    example: { content: sampleReply.content, lock: false, parent: samplePost.uuid },
    aliases: { locked: 'lock' },
    meaning: warningApart,
  },
  document: graphql(
    `mutation SendReply(
      $parent: UUID!, $content: String!, $lock: Boolean, $from: UUID, $uuid: UUID, $audience: Audience, $quote: UUID, $quotable: Boolean,
      $warning: String, $language: LanguageTag
    ) {
      sendReply(input: {
        parent: $parent, content: $content, locked: $lock, from: $from, uuid: $uuid, audience: $audience,
        quote: $quote, quotable: $quotable, warning: $warning, language: $language
      }) { reply { ...SentReply editedAt } }
    }`,
    [sentReplyView.fragment],
  ),
  view: sentReplyView,
  of: ({ sendReply }) => sendReply.reply,
  result: 'The new reply, or the existing one if it was sent before under the same `uuid`.',
  tagged: {
    read: replyView,
    // Reading the replies of an earlier one would cost as much as sending it.
    resource: ({ sendReply: { reply } }) => (reply.replyCount > 0 ? undefined : { ...reply, replies: { nodes: [] } }),
    isOptional: true,
  },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})

/** Update post (section 4.1). */
export const updatePost = operation({
  route: 'PATCH /post/{uuid}',
  summary: 'Update a post',
  description: `For the author only. ${eitherKind} ${inFront}`,
  body: {
    example: { content: sampleReply.content, locked: false },
    aliases: { lock: 'locked' },
    meaning: warningApart,
  },
  document: graphql(
    `mutation UpdatePost(
      $uuid: UUID!, $content: String, $locked: Boolean, $warning: String, $language: LanguageTag, $quotable: Boolean,
      $ifUnchangedSince: DateTime
    ) {
      updatePost(
        input: {
          uuid: $uuid, content: $content, locked: $locked, warning: $warning, language: $language, quotable: $quotable,
          ifUnchangedSince: $ifUnchangedSince
        }
      ) {
        publication { ...Post editedAt }
      }
    }`,
    [postView.fragment],
  ),
  view: postView,
  of: ({ updatePost }) => updatePost.publication,
  tagged: { resource: ({ updatePost }) => updatePost.publication },
  errors: ['FORBIDDEN'],
})

/** Update reply (section 4.3). */
export const updateReply = operation({
  route: 'PATCH /reply/{uuid}',
  summary: 'Update a reply',
  description: `For the author only. ${repliesOnly} ${inFront}`,
  body: {
    example: { content: sampleReply.content, lock: false },
    aliases: { locked: 'lock' },
    meaning: warningApart,
  },
  document: graphql(
    `mutation UpdateReply(
      $uuid: UUID!, $content: String, $lock: Boolean, $warning: String, $language: LanguageTag, $quotable: Boolean,
      $ifUnchangedSince: DateTime
    ) {
      updateReply(
        input: {
          uuid: $uuid, content: $content, locked: $lock, warning: $warning, language: $language, quotable: $quotable,
          ifUnchangedSince: $ifUnchangedSince
        }
      ) {
        reply { ...ChangedReply }
        read: reply { ...Reply createdAt editedAt }
      }
    }`,
    [changedReplyView.fragment, replyView.fragment],
  ),
  view: changedReplyView,
  of: ({ updateReply }) => updateReply.reply,
  tagged: { read: replyView, resource: ({ updateReply }) => updateReply.read },
  errors: ['FORBIDDEN'],
})

/** Delete post (section 4.1). */
export const deletePost = operation({
  route: 'DELETE /post/{uuid}',
  summary: 'Delete a post',
  description: `For the author only. Its replies remain. ${eitherKind}`,
  document: graphql(
    `mutation DeletePost($uuid: UUID!, $ifUnchangedSince: DateTime) {
      deletePost(input: { uuid: $uuid, ifUnchangedSince: $ifUnchangedSince }) { publication { ...Post } }
    }`,
    [postView.fragment],
  ),
  view: postView,
  of: ({ deletePost }) => deletePost.publication,
  result: 'The post as it was before the deletion.',
  errors: ['FORBIDDEN'],
})

/** Delete reply (section 4.3). */
export const deleteReply = operation({
  route: 'DELETE /reply/{uuid}',
  summary: 'Delete a reply',
  description: `For the author only. Its own replies remain. ${repliesOnly}`,
  document: graphql(
    `mutation DeleteReply($uuid: UUID!, $ifUnchangedSince: DateTime) {
      deleteReply(input: { uuid: $uuid, ifUnchangedSince: $ifUnchangedSince }) { reply { ...ChangedReply } }
    }`,
    [changedReplyView.fragment],
  ),
  view: changedReplyView,
  of: ({ deleteReply }) => deleteReply.reply,
  result: 'The reply as it was before the deletion.',
  errors: ['FORBIDDEN'],
})

const detachedView = view(
  'DetachedQuote',
  'DetachQuotePayload',
  'The result of detaching a quote.',
  { publication: samplePost },
  { post: ['publication', postView] },
)

/** Detach quote, which the interface does not have. */
export const detachQuote = operation({
  route: 'DELETE /post/{uuid}/quote',
  summary: 'Detach a quote',
  description: descriptionOf('Mutation', 'detachQuote'),
  document: graphql('mutation DetachQuote($uuid: UUID!) { detachQuote(input: { uuid: $uuid }) { ...DetachedQuote } }', [
    detachedView.fragment,
  ]),
  view: detachedView,
  of: ({ detachQuote }) => detachQuote,
})
