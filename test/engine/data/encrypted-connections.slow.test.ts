import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { createLog } from '../../../src/engine/log.ts'
import { certificateFile, type DatabaseTls, startDatabaseTls, type Taken } from '../../support/database/tls.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { runCommand } from '../../support/processes/rookery-command.ts'
import { endProcesses, startRookery } from '../../support/processes/rookery-process.ts'

/** The certificate of the servers. */
const root = '&sslrootcert=root.pem'

describe.runIf(onPostgres)('sslmode', () => {
  let drop: () => Promise<void>
  let servers: Record<Taken, DatabaseTls>
  beforeAll(async () => {
    const database = await createServerDatabase()
    drop = database.drop
    const [all, encrypted, plain] = await Promise.all([
      startDatabaseTls(database.url, 'all'),
      startDatabaseTls(database.url, 'encrypted'),
      startDatabaseTls(database.url, 'plain'),
    ])
    servers = { all, encrypted, plain }
  })
  afterAll(async () => {
    await endProcesses()
    await Promise.all(Object.values(servers).map((server) => server.close()))
    await drop()
  })

  /** Opens the database there, and returns how its connections were made. */
  async function connected(to: Taken, parameters: string, host?: string): Promise<string> {
    servers[to].taken()
    const url = servers[to].url(parameters.replace('root.pem', certificateFile), host)
    const database = await openDatabase({ kind: 'server', url, poolSize: 1, opener: 'server' }, createLog('silent'))
    await database.close()
    const { encrypted, plain } = servers[to].taken()
    return encrypted > plain ? 'encrypted' : 'plain'
  }

  test.each<readonly [parameters: string, to: Taken, how: 'encrypted' | 'plain', host: string]>([
    ['', 'all', 'plain', '127.0.0.1'],
    ['?sslmode=disable', 'all', 'plain', '127.0.0.1'],
    ['?sslmode=allow', 'all', 'plain', '127.0.0.1'],
    ['?sslmode=allow', 'encrypted', 'encrypted', '127.0.0.1'],
    ['?sslmode=prefer', 'all', 'encrypted', '127.0.0.1'],
    ['?sslmode=prefer', 'plain', 'plain', '127.0.0.1'],
    ['?sslmode=require', 'all', 'encrypted', '127.0.0.1'],
    ['?sslmode=no-verify', 'all', 'encrypted', '127.0.0.1'],
    [`?sslmode=require${root}`, 'all', 'encrypted', '127.0.0.1'],
    [`?sslmode=verify-ca${root}`, 'all', 'encrypted', '127.0.0.1'],
    [`?sslmode=verify-full${root}`, 'all', 'encrypted', 'localhost'],
  ])('%s on a server that takes %s is %s', async (parameters, to, how, host) => {
    expect(await connected(to, parameters, host)).toBe(how)
  })

  test.each<readonly [parameters: string, to: Taken, reason: RegExp]>([
    ['?sslmode=disable', 'encrypted', /no encryption/],
    ['?sslmode=require', 'plain', /does not support SSL/],
    ['?sslmode=verify-ca', 'all', /requires specifying a CA with sslrootcert/],
    ['?sslmode=verify-full', 'all', /self-signed certificate/],
    [`?sslmode=verify-full${root}`, 'all', /Hostname\/IP does not match/],
    [
      '?sslmode=verify-full&sslrootcert=/no/ca.pem',
      'all',
      /Correct the file \/no\/ca\.pem, which sslrootcert, sslcert or sslkey names\.$/,
    ],
  ])('%s on a server that takes %s is refused', async (parameters, to, reason) => {
    await expect(connected(to, parameters)).rejects.toThrow(reason)
  })

  test('that is unknown is refused', async () => {
    const { code, stderr } = await runCommand(['migrate'], { DATABASE_URL: servers.all.url('?sslmode=on') })
    expect(code).toBe(3)
    expect(stderr).toContain('sslmode')
  })

  test('prints nothing but lines of JSON, with the warnings of Node.js', async () => {
    const env = { DATABASE_URL: servers.all.url('?sslmode=require'), NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const server = await startRookery(env)
    server.signal('SIGTERM')
    const { stderr } = await server.ended
    const lines = stderr
      .trim()
      .split('\n')
      .map((line): { msg: string } => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).toContain('a warning of Node.js')
  })
})
