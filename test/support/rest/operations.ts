import { expect } from 'vitest'
import { type Relation, relations, relationsTo } from '../../../src/features/base/relations.ts'
import { ids } from '../networks/small-network.ts'
import { accessOperations, accountOperations } from './account-operations.ts'
import type { Version } from './answer.ts'
import { applicationOperations } from './application-operations.ts'
import {
  bad,
  badAudiences,
  badContents,
  badFlags,
  badLanguages,
  badUuids,
  badWarnings,
  notObjects,
} from './bad-bodies.ts'
import { posts, users } from './documented-shapes.ts'
import { exportOperations } from './export-operations.ts'
import { followRequestOperations } from './follow-request-operations.ts'
import { moderationOperations } from './moderation-operations.ts'
import { notificationOperations } from './notification-operations.ts'
import { type Operation, type Row, sent, sentReply } from './operation.ts'
import { replyOperations } from './reply-operations.ts'
import { searchOperations } from './search-operations.ts'
import { secondFactorOperations } from './second-factor-operations.ts'

const post = (id: string) => `/post/${id}`
const first = (path: string) => `</api/v1${path}>; rel="first"`

const { email: _, email_verified: __, ...adaInList } = users.ada

const sentPost = { ...posts.adaPost, ...sent, content: '[CW: Spoilers]\n\nSent', from: null, locked: true }

/** What the changes and lists of relations require, unless these have scopes of their own. */
const relationScopes = {
  publication: {
    toggle: ['post.get', 'post.like'],
    other: ['reply.get', 'reply.like'],
    list: ['post.get', 'reply.get'],
  },
  user: { toggle: ['user.get', 'user.follow'], other: [], list: ['user.follow'] },
} as const

/** Reposting publishes. */
const repostScopes = { toggle: ['post.get', 'post.send'], other: ['reply.get', 'reply.post'] } as const

/** The toggle of a relation that Ada does not have to her post or to Bob, and what sets it and takes it back. */
function changesOf({ verb, undo, on, off, objectType, canExpire }: Relation): readonly Row[] {
  const [what, id] = objectType === 'user' ? ['user', ids.bob] : ['post', ids.adaPost]
  const { toggle, other } = verb === 'repost' ? repostScopes : relationScopes[objectType]
  const rowOf = (name: string, method: string, action: string, row: Partial<Row> = {}): Row => ({
    name: `${name} ${what}`,
    method,
    path: (uuid) => `/${what}/${uuid}/${verb}`,
    id,
    scopes: toggle,
    otherScopes: other,
    answer: { action, uuid: id },
    ...row,
  })
  const lasting = canExpire && {
    body: { until: 32_503_636_800 },
    badBodies: [...notObjects, ...bad('until', [0, -1, 1.5, 253_402_300_800, '2999-12-31T12:00:00Z', true], {})],
  }
  return [
    rowOf(verb, 'POST', on.done),
    rowOf(`set to ${verb}`, 'PUT', on.done, lasting || {}),
    rowOf(undo, 'DELETE', off.done),
  ]
}

/** What the lists of relations have, of Ada or of Bob's post, where they are not empty, and their own scopes. */
const listed: Readonly<Record<string, { readonly items: readonly object[]; readonly scopes?: Row['scopes'] }>> = {
  likes: { items: [posts.bobPost] },
  bookmarks: { items: [posts.bobReply, posts.bobPost] },
  likers: { items: [users.cyd, adaInList] },
  following: { items: [users.cyd], scopes: ['user.following.get'] },
  followers: { items: [users.cyd, users.bob], scopes: ['user.followers.get'] },
  blocks: { items: [users.dan] },
  mutes: { items: [users.cyd] },
}

/** The lists of a relation: what Ada has it to, and who has it to her, or to Bob's post. */
function listsOf({ objectType, objects, actors }: Relation): readonly Row[] {
  const rowOf = (list: NonNullable<Relation['actors']>, what: 'user' | 'post', scopes: Row['scopes']): Row => {
    const { items = [], scopes: own = scopes } = listed[list.field] ?? {}
    const [id, owner] = what === 'user' ? ([ids.ada, 'user.get'] as const) : ([ids.bobPost, 'post.get'] as const)
    const answer = { [list.field]: items }
    return {
      name: `get ${what} ${list.path}`,
      method: 'GET',
      path: (uuid) => `/${what}/${uuid}/${list.path}`,
      pages: list.isOfInterface ? 'query' : 'path',
      id,
      scopes: [...new Set([owner, ...own])],
      ...(what === 'post' && { otherScopes: ['reply.get', ...own] }),
      answer: list.isOfInterface ? answer : { [what]: id, ...answer },
    }
  }
  return [
    { ...rowOf(objects, 'user', relationScopes[objectType].list), ...(!objects.isPublic && { anothers: [ids.bob] }) },
    ...(actors ? [rowOf(actors, objectType === 'user' ? 'user' : 'post', ['user.get'])] : []),
  ]
}

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
    name: 'get public timeline',
    method: 'GET',
    path: () => '/timeline/public',
    pages: 'path',
    scopes: ['post.get'],
    answer: { posts: [posts.bobPost, posts.adaPost] },
  },
  {
    name: 'get home',
    method: 'GET',
    path: () => '/timeline/home',
    scopes: ['post.get', 'reply.get', 'user.get'],
    answer: {
      items: [
        { uuid: ids.adaPost, post: posts.adaPost, reposted_by: [], reposter_count: 0, at: posts.adaPost.created_at },
      ],
    },
  },
  {
    name: 'get post quotes',
    method: 'GET',
    path: (id) => `/post/${id}/quotes`,
    pages: 'path',
    id: ids.adaPost,
    scopes: ['post.get', 'reply.get'],
    answer: { post: ids.adaPost, posts: [posts.bobReply] },
  },
  {
    name: 'detach quote',
    method: 'DELETE',
    path: (id) => `/post/${id}/quote`,
    id: ids.bobReply,
    scopes: ['post.get', 'reply.get', 'post.edit', 'reply.edit'],
    answer: { post: posts.bobReply },
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
    name: 'send post',
    method: 'POST',
    path: () => '/post',
    body: { content: 'Sent', locked: true, audience: 'followers', warning: 'Spoilers', language: 'nl' },
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
      ...badAudiences({ content: 'Sent' }),
      ...badWarnings({ content: 'Sent' }),
      ...badLanguages({ content: 'Sent' }),
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
    body: { content: 'Edited', locked: true, warning: 'Spoilers', language: 'nl' },
    scopes: ['post.get', 'post.edit'],
    otherScopes: ['reply.get', 'reply.edit'],
    answer: { ...posts.adaPost, content: '[CW: Spoilers]\n\nEdited', locked: true },
    anothers: [ids.bobPost],
    badBodies: [
      { body: {}, fields: ['content'] },
      { body: { content: null, locked: null }, fields: ['content'] },
      { body: { color: true }, fields: ['content'] },
      ...badFlags('lock', {}),
      { body: { locked: true, lock: 'false' }, fields: ['lock'] },
      ...badContents({}),
      ...badFlags('locked', {}),
      ...badWarnings({}),
      ...badLanguages({}),
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
  ...relationsTo('publication').flatMap(changesOf),
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
  {
    name: 'get user timeline',
    method: 'GET',
    path: (id) => `/user/${id}/timeline`,
    id: ids.ada,
    scopes: ['user.get', 'post.get', 'reply.get'],
    answer: {
      user: ids.ada,
      items: [
        { uuid: ids.adaPost, post: posts.adaPost, reposted_by: [], reposter_count: 0, at: posts.adaPost.created_at },
      ],
    },
  },
  {
    name: 'get addressed',
    method: 'GET',
    path: (id) => `/user/${id}/addressed`,
    pages: 'path',
    id: ids.ada,
    scopes: ['user.get', 'post.get', 'reply.get'],
    answer: { user: ids.ada, posts: [] },
    anothers: [ids.bob],
  },
  ...relationsTo('user').flatMap(changesOf),
  ...relations.flatMap(listsOf),
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

const serverOperations: readonly Row[] = [
  {
    name: 'get server',
    method: 'GET',
    path: () => '/server',
    isOpen: true,
    scopes: [],
    answer: expect.objectContaining({
      name: 'Rookery',
      rules: null,
      sign_up: 'open',
      account_limits: [],
      account_estimate: expect.any(Number),
    }),
  },
  { name: 'list limits', method: 'GET', path: () => '/limits', scopes: ['user.get'], answer: { limits: [] } },
]

const all = (version: Version, rows: readonly Row[]): Operation[] =>
  rows.flatMap(waysOf).map((row) => ({ version, otherScopes: [], anothers: [], wrongKind: [], badBodies: [], ...row }))

/** Every operation of the REST interface. */
export const operations: readonly Operation[] = [
  ...all('V26.07.22', [
    ...postOperations,
    ...userOperations,
    ...accessOperations,
    ...secondFactorOperations,
    ...applicationOperations,
    ...followRequestOperations,
    ...hashtagOperations,
    ...changeOperations,
    ...notificationOperations,
    ...searchOperations,
    ...moderationOperations,
    ...exportOperations,
    ...serverOperations,
  ]),
  ...all('V26.05.28', replyOperations),
]
