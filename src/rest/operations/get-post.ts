import { graphql, publicationFragment, publicationVersions } from '../graphql.ts'
import { eitherKind, found, operation } from '../operation.ts'
import { post, postObject } from '../schemas/posts.ts'

/** Get post (section 4.1). */
export const getPost = operation({
  route: 'GET /post/{uuid}',
  summary: 'Get a post',
  description: eitherKind,
  document: graphql('query GetPost($uuid: UUID!) { post(uuid: $uuid) { ...Publication ...PublicationVersions } }', [
    publicationFragment,
    publicationVersions,
  ]),
  response: { description: 'The post.', schema: post, body: ({ post }) => postObject(found('post', post)) },
  tagged: { form: 'post', resource: ({ post }) => post },
})
