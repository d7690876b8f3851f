import { expect } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { adaLinks, adaPassword, ids } from '../networks/small-network.ts'
import { anyTime, anyUuid, timeIn } from './answer.ts'
import { bad, badFlags, badUuids, notObjects } from './bad-bodies.ts'
import { users } from './documented-shapes.ts'
import type { Row } from './operation.ts'

/** What a token without the scope `user.email` sees. */
export const withoutEmail = { email: null, email_verified: null }

/** The owner of the token, and what changes their account. */
export const accountOperations: readonly Row[] = [
  {
    name: 'get own user',
    method: 'GET',
    path: () => '/user',
    scopes: ['user.get'],
    answer: { ...users.ada, ...withoutEmail },
  },
  {
    name: 'update own user',
    method: 'PATCH',
    path: () => '/user',
    body: {
      username: 'Countess',
      display_name: 'Countess',
      bio: '',
      is_private: true,
      language: 'nl',
      reading_languages: ['nl', 'en'],
    },
    scopes: ['account.manage'],
    answer: { ...users.ada, username: 'Countess', display_name: 'Countess', bio: '', ...withoutEmail },
    badBodies: [
      ...notObjects,
      ...bad('username', ['', ' ada', 'admin', 'a'.repeat(31), 5], {}),
      ...bad('language', [5, ['en'], '', 'english language', 'en_GB'], {}),
      ...bad('reading_languages', [5, Array(21).fill('en')], {}),
      ...bad('display_name', ['', ' ', 'a\nb', 'a'.repeat(51), 5], {}),
      ...bad('bio', ['a'.repeat(501), 'a\0b', {}], {}),
      ...badFlags('is_private', {}),
      { body: {}, fields: ['display_name'] },
    ],
  },
  {
    name: 'delete own account',
    method: 'DELETE',
    path: () => '/user',
    body: { password: adaPassword },
    scopes: ['account.manage'],
    answer: { final_at: timeIn(7 * 24 * 3_600) },
    badBodies: [...notObjects, ...bad('password', ['wrong', '', 5, null], {}), { body: {}, fields: ['password'] }],
  },
]

const manage = ['account.manage'] as const
const day = 24 * 3_600
const newPassword = 'Weaving & numbers'
const anyBearer: unknown = expect.stringMatching(/^rookery_[\w-]{43}$/)
const anything: unknown = expect.toSatisfy(() => true)
const signedInScopes = scopes.filter((scope) => scope !== 'moderation.manage')

const record = {
  uuid: anyUuid,
  name: 'Sign-in',
  scopes: expect.toSatisfy((names: string[]) => signedInScopes.every((scope) => names.includes(scope))),
  created_at: anyTime,
  expires_at: timeIn(90 * day),
  last_used_at: null,
  application: null,
  is_current: true,
}

const signUp = { username: 'newcomer', email: 'new@example.org', password: newPassword }
const newcomer = {
  ...users.bob,
  uuid: anyUuid,
  username: 'newcomer',
  display_name: 'Newcomer',
  avatar: expect.any(String),
  email: 'new@example.org',
  email_verified: false,
  following_count: 0,
  joined: anyTime,
}

const adaToken = {
  uuid: ids.adaToken,
  name: 'Script',
  scopes: ['post.get'],
  created_at: anyTime,
  expires_at: Date.UTC(2999, 11, 31) / 1_000,
  last_used_at: null,
  application: null,
  is_current: false,
}

const wrongLinks = bad('token', ['', 'nope', 5, `rookery_${'A'.repeat(43)}`], { password: newPassword })

/** Signing up and in, tokens, passwords and addresses. */
export const accessOperations: readonly Row[] = [
  {
    name: 'sign up',
    method: 'POST',
    path: () => '/user',
    isOpen: true,
    body: { ...signUp, display_name: 'Newcomer', device: 'Phone' },
    scopes: [],
    answer: { token: anyBearer, record: { ...record, name: 'Phone' }, user: newcomer },
    badBodies: [
      ...notObjects,
      ...bad('username', ['', 'no name', 'admin', 5], signUp),
      ...bad('email', ['', 'nowhere', 5, 'a@b@c'], signUp),
      ...bad('password', ['short', 5, 'a'.repeat(129)], signUp),
      ...bad('display_name', [' ', 5], signUp),
      ...bad('device', [' ', 'a\nb', 5], signUp),
      { body: {}, fields: ['username', 'email', 'password'] },
    ],
  },
  {
    name: 'sign in',
    method: 'POST',
    path: () => '/session',
    isOpen: true,
    body: { username: '@ADA', password: adaPassword },
    scopes: [],
    answer: { token: anyBearer, record, user: users.ada },
    badBodies: [
      ...notObjects,
      ...bad('username', [5, {}], { password: adaPassword }),
      ...bad('password', [5, ['a']], { username: 'ada' }),
      ...bad('device', ['', 5], { username: 'ada', password: adaPassword }),
      ...bad('earlier_token', [5], { username: 'ada', password: adaPassword }),
      { body: {}, fields: ['username', 'password'] },
    ],
  },
  {
    name: 'sign out',
    method: 'DELETE',
    path: () => '/session',
    scopes: [],
    answer: {
      ...record,
      ...{ name: anything, scopes: anything, expires_at: anything, last_used_at: anything, application: anything },
    },
  },
  {
    name: 'sign out everywhere else',
    method: 'DELETE',
    path: () => '/session/others',
    scopes: manage,
    answer: { revoked_count: expect.any(Number) },
  },
  {
    name: 'get tokens',
    method: 'GET',
    path: () => '/token',
    scopes: manage,
    answer: { tokens: expect.arrayContaining([adaToken]) },
  },
  {
    name: 'create token',
    method: 'POST',
    path: () => '/token',
    body: { name: 'Bot', scopes: ['account.manage'], expires_at: 32_503_593_600, application: ids.loom },
    scopes: manage,
    answer: {
      token: anyBearer,
      record: {
        ...record,
        ...{ name: 'Bot', scopes: ['account.manage'], expires_at: 32_503_593_600 },
        ...{ application: { uuid: ids.loom, name: 'Loom', website: 'https://loom.example/' }, is_current: false },
      },
    },
    badBodies: [
      ...notObjects,
      { body: {}, fields: ['name', 'scopes'] },
      ...bad('name', ['', ' ', 5, 'a'.repeat(51)], { scopes: ['account.manage'] }),
      ...bad('scopes', ['account.manage', 5, [], {}], { name: 'Bot' }),
      ...['POST_GET', 'post.send.it', 5].map((scope) => ({
        body: { name: 'Bot', scopes: ['account.manage', scope] },
        fields: ['scopes[1]'],
      })),
      ...bad('expires_at', [0, 1, -1, '2999-12-31', 1.5], { name: 'Bot', scopes: ['account.manage'] }),
      ...badUuids('application', { name: 'Bot', scopes: ['account.manage'] }),
    ],
  },
  {
    name: 'revoke token',
    method: 'DELETE',
    path: (id) => `/token/${id}`,
    id: ids.adaToken,
    scopes: manage,
    answer: adaToken,
  },
  {
    name: 'change password of own user',
    method: 'PUT',
    path: () => '/password',
    body: { current_password: adaPassword, new_password: newPassword },
    scopes: manage,
    answer: { ...users.ada, ...withoutEmail },
    badBodies: [
      ...notObjects,
      { body: {}, fields: ['current_password', 'new_password'] },
      ...bad('new_password', ['short', 5, 'a'.repeat(129)], { current_password: adaPassword }),
      ...bad('current_password', ['not this one', 5], { new_password: newPassword }),
    ],
  },
  {
    name: 'ask for a password link',
    method: 'POST',
    path: () => '/password/reset-request',
    isOpen: true,
    body: { email: 'ada@EXAMPLE.org' },
    scopes: [],
    answer: { email: 'ada@example.org' },
    badBodies: [...notObjects, { body: {}, fields: ['email'] }, ...bad('email', ['', 'nowhere', 5], {})],
  },
  {
    name: 'reset password',
    method: 'POST',
    path: () => '/password/reset',
    isOpen: true,
    body: { token: adaLinks.reset, password: newPassword },
    scopes: [],
    answer: { uuid: ids.ada, username: 'Ada' },
    badBodies: [
      ...notObjects,
      ...wrongLinks,
      { body: {}, fields: ['token', 'password'] },
      ...bad('password', ['short', 5], { token: adaLinks.reset }),
    ],
  },
  {
    name: 'change email of own user',
    method: 'PUT',
    path: () => '/email',
    body: { email: 'lovelace@example.org', password: adaPassword },
    scopes: manage,
    answer: { ...users.ada, ...withoutEmail },
    badBodies: [
      ...notObjects,
      { body: {}, fields: ['email', 'password'] },
      ...bad('email', ['', 'nowhere', 5], { password: adaPassword }),
      ...bad('password', ['not this one', 5], { email: 'lovelace@example.org' }),
    ],
  },
  {
    name: 'use a link',
    method: 'POST',
    path: () => '/email/verify',
    isOpen: true,
    body: { token: adaLinks.verify },
    scopes: [],
    answer: { uuid: ids.ada, username: 'Ada' },
    badBodies: [...notObjects, ...wrongLinks, { body: {}, fields: ['token'] }],
  },
]
