import { publicationFragment, publicationVersions } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { eitherKind } from '../operation-texts.ts'
import { post } from '../schemas/components.ts'
import { found, postObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Get post (section 4.1). */
export const getPost = operation({
  id: 'getPost',
  method: 'GET',
  path: '/post/{uuid}',
  version: apiVersions.posts,
  tag: 'Posts',
  summary: 'Get a post',
  description: eitherKind,
  document: graphql('query GetPost($uuid: UUID!) { post(uuid: $uuid) { ...Publication ...PublicationVersions } }', [
    publicationFragment,
    publicationVersions,
  ]),
  response: {
    description: 'The post.',
    components: [post],
    body: ({ post }) => postObject(found('post', post)),
  },
  tagged: { form: 'post', resource: ({ post }) => post },
  errors: ['NOT_FOUND'],
})
