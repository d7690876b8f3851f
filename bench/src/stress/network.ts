import { readFile } from 'node:fs/promises'
import pg from 'pg'
import type { Target } from './attack.ts'
import type { StressDatabase } from './databases.ts'
import { rookery } from './rookery.ts'

const sizes = ['--users', '500', '--posts', '5000', '--likes', '10000', '--follows', '10000']
const password = 'correct horse battery'

/** Some of the accounts that `network.sql` makes, with tokens that may read posts. */
const newcomers = Array.from({ length: 24 }, (_, index) => ({
  id: made(index + 1),
  token: `rookery_${String(index).padStart(43, 'n')}`,
}))

/** Adds them at once; the command line would take a second for each. */
const addNewcomers = `insert into access_tokens (id, hash, name, scopes, user_id)
  select id, sha256(token::bytea), 'newcomer', array['post.get', 'reply.get', 'user.get'], id
  from json_to_recordset($1) as newcomers (id uuid, token text)`

/** What is attacked, wherever it listens, and the token of somebody who does not attack. */
export type Network = { readonly target: Omit<Target, 'origin'>; readonly politeToken: string }

/** Seeds a database; nothing serves it yet. */
export async function seed(database: StressDatabase): Promise<void> {
  await rookery(database, ['seed', ...sizes, '--json'])
}

/** Adds to a seeded network what attacks need, while Rookery serves the database. */
export async function addTargets(database: StressDatabase): Promise<Network> {
  const accomplices = ['accomplice_1', 'accomplice_2', 'accomplice_3']
  for (const name of ['attacker', 'polite', 'honest', ...accomplices])
    await rookery(database, ['user', 'create', name, '--email', `${name}@example.org`, '--password-stdin'], password)
  const db = new pg.Client(database.connection)
  await db.connect()
  try {
    await db.query(await readFile(new URL('network.sql', import.meta.url), 'utf8'))
    await db.query(addNewcomers, [JSON.stringify(newcomers)])
  } finally {
    await db.end()
  }
  const star = made(20_001)
  const token = await rookery(database, ['token', 'create', 'attacker'])
  return {
    target: {
      token,
      star,
      starId: Buffer.from(`User:${star}`).toString('base64'),
      thread: made(30_000),
      printer: made(20_002),
      painter: made(20_003),
      tokens: [token, ...(await Promise.all(accomplices.map((name) => rookery(database, ['token', 'create', name]))))],
      newcomers: newcomers.map(({ token }) => token),
      reader: await rookery(database, ['token', 'create', 'honest']),
      honest: { username: 'honest', password },
      bystander: 'polite',
    },
    politeToken: await rookery(database, ['token', 'create', 'polite']),
  }
}

/** The UUIDs that `network.sql` makes. */
function made(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
}
