import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { issueToken } from '../../src/features/accounts/access-tokens.ts'
import { commonScopes } from '../../src/features/base/scopes.ts'
import { wrongCounters } from '../support/database/counters.ts'
import { wrongNotifications } from '../support/graphql/notifications.ts'
import { password } from '../support/graphql/sign-in.ts'
import { hashOf } from '../support/passwords.ts'
import { type MailServer, startMailServer } from '../support/processes/mail-server.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'
import { type Cluster, programs, startCluster } from './cluster.ts'
import { call } from './load.ts'
import { forCommands, use } from './network.ts'

/** How long a server runs before it is killed, in milliseconds. */
const lives = [400, 900, 300]

describe.skipIf(programs === undefined)('background jobs of servers that are killed', () => {
  let cluster: Cluster
  let mailServer: MailServer
  let name: string
  beforeAll(async () => {
    cluster = await startCluster()
    mailServer = await startMailServer({ onRcptTo: (_address, _session, done) => void sleep(20).then(() => done()) })
  })
  beforeEach(async () => {
    name = await cluster.createDatabase()
    mailServer.mails.length = 0
  })
  afterEach(endProcesses)
  afterAll(async () => {
    await mailServer?.close()
    cluster?.remove()
  })

  const start = () =>
    startRookery({
      DATABASE_URL: cluster.url(name),
      LOG_LEVEL: 'silent',
      RATE_LIMIT: 'off',
      SMTP_URL: mailServer.url,
      PUBLIC_URL: 'https://nest.example',
      DELETION_DELAY: '0',
    })

  const jobs = async (kind: string) => {
    const sql = `select count(*)::int as count from jobs where kind = '${kind}'`
    return (await cluster.admin<{ count: number }>(sql, name))[0]?.count
  }

  /** Kills a server and starts another one, again and again, then lets the leases of the killed ones end. */
  async function killAgainAndAgain(first: ServerProcess): Promise<void> {
    let server = first
    for (const life of lives) {
      await sleep(life)
      server.signal('SIGKILL')
      await server.ended
      await cluster.admin('update jobs set due_at = now() where lease is not null', name)
      server = await start()
    }
  }

  test('send every e-mail, and repeat only those that were being sent', async () => {
    const server = await start()
    const addresses = Array.from({ length: 15 }, (_, nth) => `person_${nth}@mail.example`)
    for (const email of addresses) {
      const variables = { input: { username: email.split('@')[0], email, password } }
      const query = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token } }'
      expect((await call(server.origin, '', 'POST', '/graphql', { query, variables })).code).toBe('OK')
    }
    await killAgainAndAgain(server)
    await expect.poll(() => jobs('send-mail')).toBe(0)
    const idsTo = (address: string) =>
      new Set(mailServer.to(address).map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1]))
    expect(addresses.filter((address) => idsTo(address).size !== 1)).toEqual([])
    const extra = mailServer.mails.length - addresses.length
    expect(extra).toBeLessThanOrEqual(lives.length)
  })

  test('finish erasing an account that its owner deleted', async () => {
    const passwordHash = await hashOf(password)
    const [gone, other, token] = await use(forCommands(cluster.url(name)), async ({ write: { prisma } }) => {
      const sql = `insert into users (id, username, display_name, email) values (gen_random_uuid(), $1, $1, 'a@b.example') returning id`
      const ids = await Promise.all(
        ['gone', 'other'].map((name) => prisma.$queryRawUnsafe<{ id: string }[]>(sql, name)),
      )
      const [gone = '', other = ''] = ids.map(([row]) => row?.id)
      await prisma.user.update({ where: { id: gone }, data: { passwordHash } })
      await prisma.$executeRaw`
        select send_publication(publication => gen_random_uuid(), parent => null, author => ${gone}::uuid,
          application => null, new_content => 'Post ' || n, new_locked => false, new_audience => null, new_warning => null, new_language => null, quoted => null, new_quotable => true, words => 'post',
          entities => null) from generate_series(1, 4000) n`
      await prisma.$executeRaw`
        select set_like(new_id => gen_random_uuid(), viewer => ${other}::uuid, object => id, wanted => true, posts => true,
          replies => true) from publications where author_id = ${gone}::uuid limit 1000`
      await prisma.$executeRaw`select set_follow(new_id => gen_random_uuid(), viewer => ${gone}::uuid, object => ${other}::uuid, wanted => true,
        most => 100)`
      const request = { userId: gone, name: 'Faults', scopes: commonScopes, expiresAt: null }
      const issued = await prisma.$transaction((transaction) => issueToken(transaction, request))
      return [gone, other, issued.token]
    })
    const server = await start()
    expect((await call(server.origin, token, 'DELETE', '/api/v1/user', { password })).code).toBe('OK')
    await killAgainAndAgain(server)
    await expect.poll(() => jobs('delete-account')).toBe(0)
    await use(forCommands(cluster.url(name)), async (database) => {
      const { prisma } = database.write
      expect(await prisma.user.count({ where: { id: gone } })).toBe(0)
      expect(
        await prisma.publication.count({ where: { OR: [{ authorId: gone }, { content: { startsWith: 'Post ' } }] } }),
      ).toBe(0)
      expect(await prisma.user.findUnique({ where: { id: other } })).toMatchObject({ followerCount: 0 })
      expect([...(await wrongCounters(database)), ...(await wrongNotifications(database))]).toEqual([])
    })
  })
})
