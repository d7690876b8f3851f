import type { Scope } from '../../src/scopes.ts'
import { type BadBody, badContents, badFlags, badUuids, notObjects } from './bad-bodies.ts'
import { posts, users } from './documented-shapes.ts'
import { anyTime, anyUuid, type Version } from './rest-answer.ts'
import { ids } from './small-network.ts'

/** A row of sections 4.1 to 4.3 of the interface, as Ada calls it in the small network. */
export type Operation = {
  readonly name: string
  readonly method: string
  readonly version: Version
  /** The path for an id, and the id for which it works. */
  readonly path: (id: string) => string
  readonly id?: string
  readonly body?: object
  /** The scopes that it needs as it is called here, and those that the same path needs for the other kind. */
  readonly scopes: readonly Scope[]
  readonly otherScopes: readonly Scope[]
  readonly answer: unknown
  readonly link?: string
  /** Ids of the same kind that another user has published, and of the kind that is not served. */
  readonly anothers: readonly string[]
  readonly wrongKind: readonly string[]
  readonly badBodies: readonly BadBody[]
  /** The path of a page: of a number of it, in the path or in the query. */
  readonly page?: (page: string) => string
}

type Lists = 'otherScopes' | 'anothers' | 'wrongKind' | 'badBodies'
type Row = Omit<Operation, Lists> & Partial<Pick<Operation, Lists>>

const post = (id: string) => `/post/${id}`
const reply = (id: string) => `/reply/${id}`
const first = (path: string) => `</api/v1${path}>; rel="first"`

const sent = { uuid: anyUuid, content: 'Sent', reply_count: 0, like_count: 0, has_liked: false, created_at: anyTime }
const sentPost = { ...posts.adaPost, ...sent, from: null, locked: true }
const sentReply = { ...posts.bobReply, ...sent, author: posts.adaPost.author, locked: true }

/** Section 4.1. */
const postOperations: readonly Row[] = [
  {
    name: 'get post',
    method: 'GET',
    version: 'V26.07.22',
    path: post,
    id: ids.bobPost,
    scopes: ['post.get'],
    otherScopes: ['reply.get'],
    answer: posts.bobPost,
  },
  {
    name: 'get post replies',
    method: 'GET',
    version: 'V26.07.22',
    path: (id) => `/post/${id}/replies/1`,
    id: ids.bobPost,
    scopes: ['post.get', 'reply.get'],
    answer: { post: posts.bobPost, replies: [posts.adaReply] },
    link: first(`/post/${ids.bobPost}/replies/1`),
    page: (page) => `/post/${ids.nothing}/replies/${page}`,
  },
  {
    name: 'send post',
    method: 'POST',
    version: 'V26.07.22',
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
      ...badUuids('parent', { content: 'Sent' }),
      ...badUuids('from', { content: 'Sent' }),
      ...notObjects,
    ],
  },
  {
    name: 'send post with a parent',
    method: 'POST',
    version: 'V26.07.22',
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
    version: 'V26.07.22',
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
      { body: { lock: true }, fields: ['content'] },
      ...badContents({}),
      ...badFlags('locked', {}),
      ...notObjects,
    ],
  },
  {
    name: 'delete post',
    method: 'DELETE',
    version: 'V26.07.22',
    path: post,
    id: ids.adaPost,
    scopes: ['post.get', 'post.delete'],
    otherScopes: ['reply.get', 'reply.delete'],
    answer: posts.adaPost,
    anothers: [ids.bobPost],
  },
  {
    name: 'like post',
    method: 'POST',
    version: 'V26.07.22',
    path: (id) => `/post/${id}/like`,
    id: ids.adaPost,
    scopes: ['post.get', 'post.like'],
    otherScopes: ['reply.get', 'reply.like'],
    answer: { action: 'liked', uuid: ids.adaPost },
  },
]

/** Section 4.2. */
const userOperations: readonly Row[] = [
  {
    name: 'get own user',
    method: 'GET',
    version: 'V26.07.22',
    path: () => '/user',
    scopes: ['user.get'],
    answer: { ...users.ada, email: null, email_verified: null },
  },
  {
    name: 'get user',
    method: 'GET',
    version: 'V26.07.22',
    path: (id) => `/user/${id}`,
    id: ids.cyd,
    scopes: ['user.get'],
    answer: users.cyd,
  },
  {
    name: 'get user posts',
    method: 'GET',
    version: 'V26.07.22',
    path: (id) => `/user/${id}/posts/1`,
    id: ids.ada,
    scopes: ['user.get', 'post.get'],
    answer: { user: ids.ada, posts: [posts.adaPost] },
    link: first(`/user/${ids.ada}/posts/1`),
    page: (page) => `/user/${ids.nothing}/posts/${page}`,
  },
  {
    name: 'follow',
    method: 'POST',
    version: 'V26.07.22',
    path: (id) => `/user/${id}/follow`,
    id: ids.bob,
    scopes: ['user.get', 'user.follow'],
    answer: { action: 'followed', uuid: ids.bob },
  },
  {
    name: 'get following',
    method: 'GET',
    version: 'V26.07.22',
    path: (id) => `/user/${id}/following`,
    id: ids.ada,
    scopes: ['user.get', 'user.following.get'],
    answer: { following: [users.cyd] },
    link: first(`/user/${ids.ada}/following?page=1`),
    page: (page) => `/user/${ids.nothing}/following?page=${page}`,
  },
  {
    name: 'get followers',
    method: 'GET',
    version: 'V26.07.22',
    path: (id) => `/user/${id}/followers`,
    id: ids.ada,
    scopes: ['user.get', 'user.followers.get'],
    answer: { followers: [users.cyd, users.bob] },
    link: first(`/user/${ids.ada}/followers?page=1`),
    page: (page) => `/user/${ids.nothing}/followers?page=${page}`,
  },
]

/** Section 4.3. */
const replyOperations: readonly Row[] = [
  {
    name: 'get reply',
    method: 'GET',
    version: 'V26.05.28',
    path: reply,
    id: ids.adaReply,
    scopes: ['reply.get'],
    answer: {
      uuid: ids.adaReply,
      parent: ids.bobPost,
      author: ids.ada,
      content: 'A reply',
      from: ids.loom,
      lock: true,
      replies: [posts.bobNested],
    },
    wrongKind: [ids.adaPost],
  },
  {
    name: 'send reply',
    method: 'POST',
    version: 'V26.05.28',
    path: () => '/reply',
    body: { content: 'Sent', lock: true, from: null, parent: ids.adaPost },
    scopes: ['reply.get', 'reply.post'],
    answer: { uuid: anyUuid, parent: ids.adaPost, reply: sentReply },
    badBodies: [
      { body: { content: 'Sent' }, fields: ['parent'] },
      { body: { content: 'Sent', parent: null }, fields: ['parent'] },
      { body: { parent: ids.adaPost }, fields: ['content'] },
      ...badContents({ parent: ids.adaPost }),
      ...badFlags('lock', { content: 'Sent', parent: ids.adaPost }),
      ...badUuids('parent', { content: 'Sent' }),
      ...badUuids('from', { content: 'Sent', parent: ids.adaPost }),
    ],
  },
  {
    name: 'update reply',
    method: 'PATCH',
    version: 'V26.05.28',
    path: reply,
    id: ids.adaReply,
    body: { content: 'Edited', lock: false },
    scopes: ['reply.get', 'reply.edit'],
    answer: { uuid: ids.adaReply, reply: { ...posts.adaReply, content: 'Edited', locked: false } },
    anothers: [ids.bobReply],
    wrongKind: [ids.adaPost],
    badBodies: [
      { body: {}, fields: ['content'] },
      { body: { content: null, lock: null }, fields: ['content'] },
      { body: { locked: true }, fields: ['content'] },
      ...badContents({}),
      ...badFlags('lock', {}),
      ...notObjects,
    ],
  },
  {
    name: 'delete reply',
    method: 'DELETE',
    version: 'V26.05.28',
    path: reply,
    id: ids.adaReply,
    scopes: ['reply.get', 'reply.delete'],
    answer: { uuid: ids.adaReply, reply: posts.adaReply },
    anothers: [ids.bobReply],
    wrongKind: [ids.adaPost],
  },
  {
    name: 'like reply',
    method: 'PUT',
    version: 'V26.05.28',
    path: (id) => `/like/${id}`,
    id: ids.bobReply,
    scopes: ['reply.get', 'reply.like'],
    answer: { _message: 'liked' },
    wrongKind: [ids.adaPost],
  },
]

/** Every operation of the REST interface. */
export const operations: readonly Operation[] = [...postOperations, ...userOperations, ...replyOperations].map(
  (row) => ({ otherScopes: [], anothers: [], wrongKind: [], badBodies: [], ...row }),
)
