import { type PublicationData, publicationFragment, publicationVersions, type ReplyData } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { repliesOnly } from '../operation-texts.ts'
import { content, post, refTo } from '../schemas/components.ts'
import { flag, listOf, objectOf, orNull, uuid } from '../schemas/json-schema.ts'
import { sampleReply } from '../schemas/samples.ts'
import { found, postObjects } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

const document = graphql(
  `query GetReply($uuid: UUID!) {
    reply(uuid: $uuid) {
      uuid parentUuid author { uuid } content from { uuid } locked version createdAt editedAt
      replies(first: 5) { nodes { ...Publication ...PublicationVersions } }
    }
  }`,
  [publicationFragment, publicationVersions],
)

type ReplyWithReplies = Pick<ReplyData, 'uuid' | 'parentUuid' | 'content' | 'locked'> & {
  readonly author: { readonly uuid: string }
  readonly from: { readonly uuid: string } | null
  readonly replies: { readonly nodes: readonly PublicationData[] }
}

/** The reply object (section 2.3): everything around the reply is a uuid. */
function toBody(reply: ReplyWithReplies) {
  return {
    uuid: reply.uuid,
    parent: reply.parentUuid,
    author: reply.author.uuid,
    content: reply.content,
    from: reply.from?.uuid ?? null,
    lock: reply.locked,
    replies: postObjects(reply.replies.nodes),
  }
}

/** Get reply (section 4.3). */
export const getReply = operation({
  id: 'getReply',
  method: 'GET',
  path: '/reply/{uuid}',
  version: apiVersions.replies,
  tag: 'Replies',
  summary: 'Get a reply',
  description: repliesOnly,
  document,
  response: {
    description: 'The reply and the first page of its replies.',
    components: [
      {
        name: 'Reply',
        graphqlType: 'Reply',
        schema: objectOf<ReturnType<typeof toBody>>(
          'A reply in the format of the reply endpoints, which refers to other objects by uuid.',
          {
            uuid: uuid('The uuid of the reply.'),
            parent: uuid('The uuid of the parent, which may have been deleted.'),
            author: uuid('The uuid of the author.'),
            content,
            from: orNull(uuid('The uuid of the application that sent the reply, or null.')),
            lock: flag('Whether only the author may reply to it. Called `locked` in a post object.'),
            replies: listOf(refTo(post), 5, 'The first page of its replies, oldest first.'),
          },
        ),
        example: toBody({ ...sampleReply, replies: { nodes: [] } }),
      },
    ],
    body: ({ reply }) => toBody(found('reply', reply)),
  },
  tagged: { form: 'reply', resource: ({ reply }) => reply },
  errors: ['NOT_FOUND'],
})
