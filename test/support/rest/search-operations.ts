import { posts, users } from './documented-shapes.ts'
import type { Row } from './operation.ts'

/** Searches, which the interface does not have. */
export const searchOperations: readonly Row[] = [
  {
    name: 'search posts',
    method: 'GET',
    path: () => '/search/posts?q=locked',
    scopes: ['post.get', 'reply.get'],
    answer: { posts: [posts.bobPost] },
  },
  {
    name: 'search users',
    method: 'GET',
    path: () => '/search/users?q=@BO',
    scopes: ['user.get'],
    answer: { users: [users.bob] },
  },
]
