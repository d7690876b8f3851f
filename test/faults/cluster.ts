import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../support/http/port.ts'

/** A shutdown mode of PostgreSQL (PostgreSQL documentation, pg_ctl). */
export type StopMode = 'smart' | 'fast' | 'immediate'

/** A PostgreSQL cluster that tests may break. */
export type Cluster = {
  /** The URL of one of its databases. */
  url(database: string): string
  /** Creates a database, and returns its name. */
  createDatabase(): Promise<string>
  start(): void
  /** Stops it. Returns false if it is still running after 3 seconds. */
  stop(mode: StopMode): boolean
  /** Runs statements as the superuser on a new connection. */
  admin<Row extends pg.QueryResultRow>(sql: string, database?: string): Promise<Row[]>
  remove(): void
}

const versions = '/usr/lib/postgresql'

/** The folder with the programs of the newest PostgreSQL, as Debian installs them; undefined if there is none. */
export const programs = existsSync(versions)
  ? readdirSync(versions)
      .toSorted((one, other) => Number(other) - Number(one))
      .map((version) => join(versions, version, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined

/** PostgreSQL refuses to run as root, so root runs it as the user of the Debian package. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Creates and starts a cluster in this empty folder or a temporary one. With `primary`, it is a standby of that cluster. */
export async function startCluster(given?: string, primary?: Cluster): Promise<Cluster> {
  if (programs === undefined) throw new Error('PostgreSQL is not installed')
  const bin = programs
  const user = owner()
  const folder = given ?? mkdtempSync(join(tmpdir(), 'rookery-faults-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  for (const path of user ? [folder, data] : []) chownSync(path, user?.uid ?? 0, user?.gid ?? 0)
  const port = await freePort()
  const run = (program: string, args: readonly string[]) =>
    execFileSync(join(bin, program), args, { ...user, cwd: folder, stdio: 'ignore' })
  if (primary) {
    const from = ['--dbname', primary.url('postgres'), '--checkpoint', 'fast', '--write-recovery-conf']
    run('pg_basebackup', ['--pgdata', data, ...from])
  } else {
    run('initdb', ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'])
  }
  const options = `-p ${port} -k ${folder} -h 127.0.0.1 -c max_connections=60 -c shared_buffers=32MB`
  let databases = 0
  const cluster: Cluster = {
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    createDatabase: async () => {
      databases += 1
      const name = `network_${databases}`
      await cluster.admin(`CREATE DATABASE ${name}`)
      return name
    },
    start: () => run('pg_ctl', ['start', '-w', '-D', data, '-l', join(folder, 'log'), '-o', options]),
    stop: (mode) => {
      try {
        run('pg_ctl', ['stop', '-w', '-t', '3', '-D', data, '-m', mode])
        return true
      } catch {
        return false
      }
    },
    admin: async (sql, database = 'postgres') => {
      const client = new pg.Client({ connectionString: cluster.url(database) })
      client.on('error', () => undefined)
      await client.connect()
      const result = await client.query(sql).finally(() => client.end())
      return result.rows
    },
    remove: () => {
      cluster.stop('immediate')
      rmSync(given === undefined ? folder : data, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  cluster.start()
  return cluster
}
