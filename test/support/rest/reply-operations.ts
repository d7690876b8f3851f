import { ids } from '../networks/small-network.ts'
import { anyUuid } from './answer.ts'
import { badAudiences, badContents, badFlags, badLanguages, badUuids, badWarnings, notObjects } from './bad-bodies.ts'
import { posts } from './documented-shapes.ts'
import { type Row, sentReply } from './operation.ts'

const reply = (id: string) => `/reply/${id}`

/** Section 4.3. */
export const replyOperations: readonly Row[] = [
  {
    name: 'get reply',
    method: 'GET',
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
    path: () => '/reply',
    body: {
      content: 'Sent',
      lock: true,
      from: null,
      parent: ids.adaPost,
      audience: 'addressed',
      warning: 'Spoilers',
      language: 'nl',
    },
    scopes: ['reply.get', 'reply.post'],
    answer: { uuid: anyUuid, parent: ids.adaPost, reply: { ...sentReply, content: '[CW: Spoilers]\n\nSent' } },
    badBodies: [
      { body: { content: 'Sent' }, fields: ['parent'] },
      { body: { content: 'Sent', parent: null }, fields: ['parent'] },
      { body: { parent: ids.adaPost }, fields: ['content'] },
      ...badContents({ parent: ids.adaPost }),
      ...badFlags('lock', { content: 'Sent', parent: ids.adaPost }),
      ...badFlags('locked', { content: 'Sent', parent: ids.adaPost }),
      ...badUuids('parent', { content: 'Sent' }),
      ...badUuids('from', { content: 'Sent', parent: ids.adaPost }),
      ...badUuids('uuid', { content: 'Sent', parent: ids.adaPost }),
      ...badAudiences({ content: 'Sent', parent: ids.adaPost }),
      ...badWarnings({ content: 'Sent', parent: ids.adaPost }),
      ...badLanguages({ content: 'Sent', parent: ids.adaPost }),
    ],
  },
  {
    name: 'update reply',
    method: 'PATCH',
    path: reply,
    id: ids.adaReply,
    body: { content: 'Edited', lock: false, warning: 'Spoilers', language: 'nl' },
    scopes: ['reply.get', 'reply.edit'],
    answer: { uuid: ids.adaReply, reply: { ...posts.adaReply, content: '[CW: Spoilers]\n\nEdited', locked: false } },
    anothers: [ids.bobReply],
    wrongKind: [ids.adaPost],
    badBodies: [
      { body: {}, fields: ['content'] },
      { body: { content: null, lock: null }, fields: ['content'] },
      { body: { color: true }, fields: ['content'] },
      ...badFlags('locked', {}),
      { body: { locked: 'true', lock: false }, fields: ['locked'] },
      ...badContents({}),
      ...badFlags('lock', {}),
      ...badWarnings({}),
      ...badLanguages({}),
      ...notObjects,
    ],
  },
  {
    name: 'delete reply',
    method: 'DELETE',
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
    path: (id) => `/like/${id}`,
    id: ids.bobReply,
    scopes: ['reply.get', 'reply.like'],
    answer: { _message: 'liked' },
    wrongKind: [ids.adaPost],
  },
]
