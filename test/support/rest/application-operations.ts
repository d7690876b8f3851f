import { expect } from 'vitest'
import { ids } from '../networks/small-network.ts'
import { anyTime, anyUuid, timeIn } from './answer.ts'
import { bad, badFlags, notObjects } from './bad-bodies.ts'
import { invitation, loom } from './documented-shapes.ts'
import type { Row } from './operation.ts'

const scopes = ['account.manage'] as const
const ownLoom = { ...loom, redirect_uris: [], device_flow: false }
const shuttle = {
  name: 'Shuttle',
  website: 'https://shuttle.example/',
  redirect_uris: ['https://shuttle.example/callback', 'shuttle:/callback'],
  device_flow: true,
}
const grant = {
  uuid: ids.adaGrant,
  application: loom,
  scopes: ['user.get'],
  created_at: anyTime,
  last_used_at: null,
  expires_at: Date.UTC(2999, 11, 31) / 1_000,
}

const badValues = (more: object) => [
  ...bad('name', ['', ' ', 5, 'a'.repeat(51)], more),
  ...bad('website', ['', 'shuttle', 'ftp://shuttle.example/', 5], { name: 'Shuttle', ...more }),
  ...bad('redirect_uris', ['https://shuttle.example/', ['nope'], ['http://shuttle.example/'], 5], {
    name: 'Shuttle',
    ...more,
  }),
  ...badFlags('device_flow', { name: 'Shuttle', ...more }),
]

/** Applications of Ada, what she has allowed them to do, and her invitations. */
export const applicationOperations: readonly Row[] = [
  {
    name: 'get applications',
    method: 'GET',
    path: () => '/application',
    scopes,
    answer: { applications: [ownLoom] },
  },
  {
    name: 'create application',
    method: 'POST',
    path: () => '/application',
    body: shuttle,
    scopes,
    answer: { uuid: anyUuid, ...shuttle },
    badBodies: [...notObjects, { body: {}, fields: ['name'] }, ...badValues({})],
  },
  {
    name: 'update application',
    method: 'PATCH',
    path: (id) => `/application/${id}`,
    id: ids.loom,
    body: { name: 'Shuttle', device_flow: true },
    scopes,
    answer: { ...ownLoom, name: 'Shuttle', device_flow: true },
    badBodies: [...notObjects, ...badValues({})],
  },
  {
    name: 'delete application',
    method: 'DELETE',
    path: (id) => `/application/${id}`,
    id: ids.loom,
    scopes,
    answer: ownLoom,
  },
  {
    name: 'disconnect application',
    method: 'DELETE',
    path: () => `/application/${ids.loom}/authorization`,
    scopes,
    answer: { revoked_count: 1 },
  },
  {
    name: 'get invitations',
    method: 'GET',
    path: () => '/invitation',
    scopes,
    answer: { invitations: [invitation] },
  },
  {
    name: 'create invitation',
    method: 'POST',
    path: () => '/invitation',
    body: { max_uses: 3 },
    scopes,
    answer: {
      code: expect.stringMatching(/^rookery_[\w-]{43}$/),
      invitation: { uuid: anyUuid, max_uses: 3, uses: 0, created_at: anyTime, expires_at: timeIn(7 * 24 * 3_600) },
    },
    badBodies: [...notObjects, ...bad('max_uses', [0, 101, 1.5, '1'], {}), ...bad('expires_at', ['soon', 5], {})],
  },
  {
    name: 'revoke invitation',
    method: 'DELETE',
    path: (id) => `/invitation/${id}`,
    id: ids.invitation,
    scopes,
    answer: invitation,
  },
  {
    name: 'get authorizations',
    method: 'GET',
    path: () => '/authorization',
    scopes,
    answer: { authorizations: [grant] },
  },
  {
    name: 'revoke authorization',
    method: 'DELETE',
    path: (id) => `/authorization/${id}`,
    id: ids.adaGrant,
    scopes,
    answer: grant,
  },
]
