import { ids } from '../networks/small-network.ts'
import { badFlags, notObjects } from './bad-bodies.ts'
import { users } from './documented-shapes.ts'
import type { Row } from './operation.ts'

const scopes = ['user.get', 'user.follow'] as const

/** A list of the requests between Ada and Eve. */
const listAt = (name: string, path: string): Row => ({
  name,
  method: 'GET',
  path: (id) => `/user/${id}/${path}`,
  pages: 'path',
  id: ids.ada,
  scopes,
  answer: { user: ids.ada, requests: [users.eve] },
  anothers: [ids.bob],
})

/** The requests to follow Ada, and hers. */
export const followRequestOperations: readonly Row[] = [
  listAt('get requests', 'requests'),
  listAt('get sent requests', 'sent-requests'),
  {
    name: 'answer request',
    method: 'PUT',
    path: (id) => `/user/${id}/request`,
    id: ids.eve,
    body: { accepted: true },
    scopes,
    answer: { ...users.eve, following_count: 1 },
    badBodies: [...notObjects, ...badFlags('accepted', {}), { body: {}, fields: ['accepted'] }],
  },
  {
    name: 'remove follower',
    method: 'DELETE',
    path: (id) => `/user/${id}/follower`,
    id: ids.bob,
    scopes,
    answer: { ...users.bob, following_count: 0 },
  },
]
