import { maxLookups } from '../../reads/lookup-list.ts'
import { type PublicationData, publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { eitherKind } from '../operation-texts.ts'
import { post, refTo } from '../schemas/components.ts'
import { listOf, objectOf } from '../schemas/json-schema.ts'
import { samplePost, sampleReply } from '../schemas/samples.ts'
import { postObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(publications: readonly (PublicationData | null)[]) {
  return { posts: publications.map((publication) => publication && postObject(publication)) }
}

/** Get posts, which the interface does not have. */
export const getPosts = operation({
  id: 'getPosts',
  method: 'GET',
  path: '/post',
  version: apiVersions.posts,
  tag: 'Posts',
  summary: 'Get several posts',
  description: `In the order of \`uuid\`, with null for each that does not exist or was deleted. ${eitherKind}`,
  uuids: {
    description: `The uuid of a post or reply. Repeat it for up to ${maxLookups}, such as \`?uuid=…&uuid=…\`.`,
    example: [samplePost.uuid, sampleReply.uuid],
  },
  document: graphql('query GetPosts($uuids: [UUID!]!) { publications(uuids: $uuids) { ...Publication } }', [
    publicationFragment,
  ]),
  response: {
    description: 'The posts.',
    components: [
      {
        name: 'Posts',
        schema: objectOf<ReturnType<typeof toBody>>('Posts and replies, in the order of the request.', {
          posts: listOf(
            { anyOf: [refTo(post), { type: 'null' }] },
            maxLookups,
            'The posts and replies, with null for each that does not exist.',
          ),
        }),
        example: toBody([samplePost, null]),
      },
    ],
    body: ({ publications }) => toBody(publications),
  },
  errors: ['VALIDATION_FAILED'],
})
