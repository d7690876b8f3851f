import { expect } from 'vitest'
import { ids } from '../networks/small-network.ts'
import { anyTime, anyUuid } from './answer.ts'
import { bad, badUuids, notObjects } from './bad-bodies.ts'
import { appeal, posts, report, users } from './documented-shapes.ts'
import type { Row } from './operation.ts'

const scopes = ['moderation.manage'] as const
const withPosts = [...scopes, 'post.get', 'reply.get'] as const
const { email: _, email_verified: __, ...adaInList } = users.ada
const longText = 'a'.repeat(1_001)
const badTexts = [5, ['a'], 'a\0b', '\ud800', longText]

/** Reports and moderation, which the interface does not have. */
export const moderationOperations: readonly Row[] = [
  {
    name: 'report',
    method: 'POST',
    path: () => '/report',
    body: { uuid: ids.bobPost, reason: 'illegal', comment: 'Look' },
    scopes: ['user.get', 'post.get', 'reply.get'],
    answer: { uuid: anyUuid, state: 'open', created_at: anyTime },
    badBodies: [
      ...bad('reason', [undefined, null, 'ILLEGAL', 'rude', 5, ['spam']], { uuid: ids.bobPost }),
      { body: { reason: 'spam' }, fields: ['uuid'] },
      ...badUuids('uuid', { reason: 'spam' }),
      ...bad('uuid', [ids.ada, ids.adaPost], { reason: 'spam' }),
      ...bad('comment', badTexts, { uuid: ids.bobPost, reason: 'spam' }),
      ...notObjects,
    ],
  },
  {
    name: 'refuse application',
    method: 'POST',
    path: () => '/moderation/application/app.example/refuse',
    body: { reason: 'Spam' },
    scopes,
    answer: { changed: expect.any(Boolean) },
    badBodies: [...notObjects, { body: {}, fields: ['reason'] }, ...bad('reason', ['', ...badTexts], {})],
  },
  {
    name: 'readmit application',
    method: 'POST',
    path: () => '/moderation/application/other.example/readmit',
    scopes,
    answer: { changed: false },
  },
  {
    name: 'get reports',
    method: 'GET',
    path: () => '/moderation/reports',
    pages: 'path',
    scopes: withPosts,
    answer: { reports: [report] },
  },
  {
    name: 'close report',
    method: 'PATCH',
    path: (id) => `/moderation/report/${id}`,
    id: ids.report,
    body: { note: 'Done' },
    scopes: withPosts,
    answer: { ...report, state: 'closed', closed_at: anyTime, closed_by: adaInList, note: 'Done' },
    badBodies: [...bad('note', [undefined, null, '', ' ', ...badTexts], {}), ...notObjects],
  },
  {
    name: 'appeal',
    method: 'POST',
    path: () => '/appeal',
    isOfSuspended: true,
    body: { text: 'It was not me' },
    scopes: ['account.manage'],
    answer: {
      uuid: anyUuid,
      state: 'open',
      text: 'It was not me',
      created_at: anyTime,
      answer: null,
      answered_at: null,
    },
    badBodies: [...bad('text', [undefined, null, '', ' ', ...badTexts], {}), ...notObjects],
  },
  {
    name: 'get own appeals',
    method: 'GET',
    path: () => '/appeals',
    pages: 'path',
    scopes: ['user.get', 'account.manage'],
    answer: { appeals: [] },
  },
  {
    name: 'get appeals',
    method: 'GET',
    path: () => '/moderation/appeals',
    pages: 'path',
    scopes,
    answer: { appeals: [appeal] },
  },
  {
    name: 'answer appeal',
    method: 'PATCH',
    path: (id) => `/moderation/appeal/${id}`,
    id: ids.appeal,
    body: { accept: true, answer: 'Sorry' },
    scopes,
    answer: { ...appeal, state: 'accepted', answer: 'Sorry', answered_at: anyTime, answered_by: adaInList },
    badBodies: [
      ...bad('answer', [undefined, null, '', ' ', ...badTexts], { accept: true }),
      ...bad('accept', [undefined, null, 'true', 1], { answer: 'Sorry' }),
      ...notObjects,
    ],
  },
  {
    name: 'suspend user',
    method: 'POST',
    path: (id) => `/moderation/user/${id}/suspend`,
    id: ids.cyd,
    body: { reason: 'Spam' },
    scopes: ['user.get', ...scopes],
    answer: { uuid: ids.cyd, suspended: true },
    anothers: [ids.ada],
    badBodies: [...bad('reason', [undefined, null, '', ' ', ...badTexts], {}), ...notObjects],
  },
  {
    name: 'reinstate user',
    method: 'POST',
    path: (id) => `/moderation/user/${id}/reinstate`,
    id: ids.cyd,
    scopes: ['user.get', ...scopes],
    answer: { uuid: ids.cyd, suspended: false },
    anothers: [ids.ada],
  },
  {
    name: 'remove post',
    method: 'DELETE',
    path: (id) => `/moderation/post/${id}?reason=Spam`,
    id: ids.bobPost,
    scopes: withPosts,
    answer: posts.bobPost,
    anothers: [ids.adaPost],
  },
  {
    name: 'add warning',
    method: 'PATCH',
    path: (id) => `/moderation/post/${id}`,
    id: ids.bobPost,
    body: { warning: 'Spoilers', reason: 'The end of a book' },
    scopes: withPosts,
    answer: { ...posts.bobPost, content: '[CW: Spoilers]\n\nA locked post' },
    anothers: [ids.adaPost],
    badBodies: [
      ...bad('warning', [undefined, null, '', ' ', ...badTexts], { reason: 'Spam' }),
      ...bad('reason', [undefined, null, '', ' ', ...badTexts], { warning: 'Spoilers' }),
      ...notObjects,
    ],
  },
  {
    name: 'get moderation log',
    method: 'GET',
    path: () => '/moderation/log',
    pages: 'path',
    scopes,
    answer: { log: expect.any(Array) },
  },
]
