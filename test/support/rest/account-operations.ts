import { adaPassword } from '../networks/small-network.ts'
import { timeIn } from './answer.ts'
import { bad, notObjects } from './bad-bodies.ts'
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
    body: { username: 'Countess', display_name: 'Countess', bio: '' },
    scopes: ['account.manage'],
    answer: { ...users.ada, username: 'Countess', display_name: 'Countess', bio: '', ...withoutEmail },
    badBodies: [
      ...notObjects,
      ...bad('username', ['', ' ada', 'admin', 'a'.repeat(31), 5], {}),
      ...bad('display_name', ['', ' ', 'a\nb', 'a'.repeat(51), 5], {}),
      ...bad('bio', ['a'.repeat(501), 'a\0b', {}], {}),
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
