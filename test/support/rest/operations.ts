import { expect } from 'vitest'
import { blocks, bookmarks, follows, likes, mutes, type Relation } from '../../../src/features/base/relations.ts'
import { ids } from '../networks/small-network.ts'
import { accountOperations } from './account-operations.ts'
import type { Version } from './answer.ts'
import { badContents, badFlags, badUuids, notObjects } from './bad-bodies.ts'
import { posts, users } from './documented-shapes.ts'
import { exportOperations } from './export-operations.ts'
import { moderationOperations } from './moderation-operations.ts'
import { notificationOperations } from './notification-operations.ts'
import { type Operation, type Row, sent, sentReply } from './operation.ts'
import { replyOperations } from './reply-operations.ts'
import { searchOperations } from './search-operations.ts'

const post = (id: string) => `/post/${id}`
const first = (path: string) => `</api/v1${path}>; rel="first"`

const { email: _, email_verified: __, ...adaInList } = users.ada

const sentPost = { ...posts.adaPost, ...sent, from: null, locked: true }

/** The toggle of a relation that Ada does not have to an object. */
const toggleOf = (relation: Relation, id: string, scopes: Row['scopes'], otherScopes: Row['scopes'] = []): Row => {
  const what = relation.objectType === 'user' ? 'user' : 'post'
  return {
    name: `${relation.verb} ${what}`,
    method: 'POST',
    path: (uuid) => `/${what}/${uuid}/${relation.verb}`,
    id,
    scopes,
    otherScopes,
    answer: { action: relation.on.done, uuid: id },
  }
}

/** The list of a relation that only Ada sees. */
const ownListOf = ({ table }: Relation, scopes: Row['scopes'], items: readonly object[]): Row => ({
  name: `get user ${table}`,
  method: 'GET',
  path: (id) => `/user/${id}/${table}`,
  pages: 'path',
  id: ids.ada,
  scopes,
  answer: { user: ids.ada, [table]: items },
  anothers: [ids.bob],
})

/** Section 4.1, and what is beside it. */
const postOperations: readonly Row[] = [
  {
    name: 'get post',
    method: 'GET',
    path: post,
    id: ids.bobPost,
    scopes: ['post.get'],
    otherScopes: ['reply.get'],
    answer: posts.bobPost,
  },
  {
    name: 'get post replies',
    method: 'GET',
    path: (id) => `/post/${id}/replies`,
    pages: 'path',
    id: ids.bobPost,
    scopes: ['post.get', 'reply.get'],
    answer: { post: posts.bobPost, replies: [posts.adaReply] },
  },
  {
    name: 'get posts',
    method: 'GET',
    path: () => `/post?uuid=${ids.bobPost}&uuid=${ids.nothing}&uuid=${ids.adaGone}&uuid=${ids.adaPost.toUpperCase()}`,
    scopes: ['post.get'],
    otherScopes: ['reply.get'],
    answer: { posts: [posts.bobPost, null, null, posts.adaPost] },
  },
  {
    name: 'get post thread',
    method: 'GET',
    path: (id) => `/post/${id}/thread`,
    pages: 'path',
    id: ids.adaOrphan,
    scopes: ['post.get', 'reply.get'],
    answer: { post: ids.adaOrphan, thread: [posts.adaOrphan], places: [{ uuid: ids.adaGone, parent: null }] },
  },
  {
    name: 'get post likes',
    method: 'GET',
    path: (id) => `/post/${id}/likes`,
    pages: 'path',
    id: ids.bobPost,
    scopes: ['post.get', 'user.get'],
    otherScopes: ['reply.get', 'user.get'],
    answer: { post: ids.bobPost, likers: [users.cyd, adaInList] },
  },
  {
    name: 'send post',
    method: 'POST',
    path: () => '/post',
    body: { content: 'Sent', locked: true },
    scopes: ['post.get', 'post.send'],
    otherScopes: ['reply.get', 'reply.post'],
    answer: sentPost,
    badBodies: [
      { body: {}, fields: ['content'] },
      { body: { content: null }, fields: ['content'] },
      ...badContents({}),
      ...badFlags('locked', { content: 'Sent' }),
      ...badFlags('lock', { content: 'Sent' }),
      ...badUuids('parent', { content: 'Sent' }),
      ...badUuids('from', { content: 'Sent' }),
      ...badUuids('uuid', { content: 'Sent' }),
      ...notObjects,
    ],
  },
  {
    name: 'send post with a parent',
    method: 'POST',
    path: () => '/post',
    body: { content: 'Sent', locked: true, parent: ids.adaPost },
    scopes: ['reply.get', 'reply.post'],
    otherScopes: ['post.get', 'post.send'],
    answer: sentReply,
    badBodies: badContents({ parent: ids.adaPost }),
  },
  {
    name: 'update post',
    method: 'PATCH',
    path: post,
    id: ids.adaPost,
    body: { content: 'Edited', locked: true },
    scopes: ['post.get', 'post.edit'],
    otherScopes: ['reply.get', 'reply.edit'],
    answer: { ...posts.adaPost, content: 'Edited', locked: true },
    anothers: [ids.bobPost],
    badBodies: [
      { body: {}, fields: ['content'] },
      { body: { content: null, locked: null }, fields: ['content'] },
      { body: { color: true }, fields: ['content'] },
      ...badFlags('lock', {}),
      { body: { locked: true, lock: 'false' }, fields: ['lock'] },
      ...badContents({}),
      ...badFlags('locked', {}),
      ...notObjects,
    ],
  },
  {
    name: 'delete post',
    method: 'DELETE',
    path: post,
    id: ids.adaPost,
    scopes: ['post.get', 'post.delete'],
    otherScopes: ['reply.get', 'reply.delete'],
    answer: posts.adaPost,
    anothers: [ids.bobPost],
  },
  toggleOf(likes, ids.adaPost, ['post.get', 'post.like'], ['reply.get', 'reply.like']),
  toggleOf(bookmarks, ids.adaPost, ['post.get', 'post.like'], ['reply.get', 'reply.like']),
]

/** Section 4.2, and what is beside it. */
const userOperations: readonly Row[] = [
  ...accountOperations,
  {
    name: 'get user',
    method: 'GET',
    path: (id) => `/user/${id}`,
    id: ids.cyd,
    scopes: ['user.get'],
    answer: users.cyd,
  },
  {
    name: 'get user posts',
    method: 'GET',
    path: (id) => `/user/${id}/posts`,
    pages: 'path',
    id: ids.ada,
    scopes: ['user.get', 'post.get'],
    answer: { user: ids.ada, posts: [posts.adaPost] },
  },
  {
    name: 'get user replies',
    method: 'GET',
    path: (id) => `/user/${id}/replies`,
    pages: 'path',
    id: ids.ada,
    scopes: ['user.get', 'reply.get'],
    answer: { user: ids.ada, replies: [posts.adaOrphan, posts.adaReply] },
  },
  ownListOf(likes, ['user.get', 'post.get', 'reply.get'], [posts.bobPost]),
  ownListOf(bookmarks, ['user.get', 'post.get', 'reply.get'], [posts.bobReply, posts.bobPost]),
  toggleOf(follows, ids.bob, ['user.get', 'user.follow']),
  toggleOf(mutes, ids.bob, ['user.get', 'user.follow']),
  ownListOf(mutes, ['user.get', 'user.follow'], [users.cyd]),
  {
    name: 'get following',
    method: 'GET',
    path: (id) => `/user/${id}/following`,
    pages: 'query',
    id: ids.ada,
    scopes: ['user.get', 'user.following.get'],
    answer: { following: [users.cyd] },
  },
  {
    name: 'get followers',
    method: 'GET',
    path: (id) => `/user/${id}/followers`,
    pages: 'query',
    id: ids.ada,
    scopes: ['user.get', 'user.followers.get'],
    answer: { followers: [users.cyd, users.bob] },
  },
  toggleOf(blocks, ids.bob, ['user.get', 'user.follow']),
  ownListOf(blocks, ['user.get', 'user.follow'], [users.dan]),
]

/** The ways to read the first page of a list: with the page in the path, and with the default of the query. */
function waysOf(row: Row): readonly Row[] {
  const { name, path, pages } = row
  const inPath: Row = {
    ...row,
    path: (id) => `${path(id)}/1`,
    link: first(`${path(row.id ?? '')}/1`),
    page: (page) => `${path(ids.nothing)}/${page}`,
  }
  const inQuery: Row = {
    ...row,
    name: `${name} without a page`,
    link: first(`${path(row.id ?? '')}?page=1`),
    page: (page) => `${path(ids.nothing)}?page=${page}`,
  }
  if (pages === undefined) return [row]
  return pages === 'path' ? [inPath, inQuery] : [{ ...inQuery, name }]
}

const hashtagOperations: readonly Row[] = [
  {
    name: 'get hashtag posts',
    method: 'GET',
    path: () => '/tag/Weaving',
    pages: 'path',
    scopes: ['post.get', 'reply.get'],
    answer: { tag: 'weaving', posts: [posts.bobReply, posts.adaPost] },
  },
]

const changeOperations: readonly Row[] = [
  {
    name: 'get changes',
    method: 'GET',
    path: () => '/changes',
    scopes: ['post.get', 'reply.get', 'user.get'],
    answer: { changes: [] },
    link: expect.stringMatching(/^<\/api\/v1\/changes\?after=[\w-]{22}>; rel="next"$/),
  },
]

const all = (version: Version, rows: readonly Row[]): Operation[] =>
  rows.flatMap(waysOf).map((row) => ({ version, otherScopes: [], anothers: [], wrongKind: [], badBodies: [], ...row }))

/** Every operation of the REST interface. */
export const operations: readonly Operation[] = [
  ...all('V26.07.22', [
    ...postOperations,
    ...userOperations,
    ...hashtagOperations,
    ...changeOperations,
    ...notificationOperations,
    ...searchOperations,
    ...moderationOperations,
    ...exportOperations,
  ]),
  ...all('V26.05.28', replyOperations),
]
