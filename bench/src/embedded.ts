import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyRows } from './database/copy-rows.ts'
import { buildRookery, makeDatabase, runCommand, seedCommand, urlOf } from './database/create.ts'
import { takeSample } from './database/sample.ts'
import { withClient } from './database/with-client.ts'
import { compare } from './measuring/compare.ts'
import { measureStarts } from './measuring/starts.ts'
import { isAskedFor, type Options, readOptions, requireKnown } from './options.ts'
import { machine } from './report/machine.ts'
import { type Started, start, startAll, stopAll } from './servers/server.ts'
import { rookery } from './servers/servers.ts'
import { worksOn } from './works/works.ts'

const measured = ['home', 'post', 'post-rest', 'like', 'like-rest', 'send', 'send-rest']
const settings = { DEMO: 'off', RATE_LIMIT: 'off', LOG_LEVEL: 'info' } as const

/** Seeds a folder, takes the works from it, and copies its rows to PostgreSQL if they are measured there too. */
async function prepare(folder: string, options: Options, isOnPostgres: boolean) {
  // An empty variable counts as unset.
  await runCommand(seedCommand(options.network), { DATABASE_URL: '', DATA_DIR: folder })
  const running = await start(rookery('embedded'), { DATA_DIR: folder, DEMO: 'off' })
  try {
    return await withClient({ host: folder, user: 'postgres', database: 'postgres' }, async (db) => {
      const works = worksOn(await takeSample(db)).filter(
        ({ name }) => measured.includes(name) && isAskedFor(name, options.works),
      )
      if (isOnPostgres) {
        const url = await makeDatabase(options, (url) => runCommand(['migrate'], { DATABASE_URL: url }))
        await withClient({ connectionString: url }, (client) => copyRows(db, client))
      }
      return { works, machine: await machine(db) }
    })
  } finally {
    await running.stop()
  }
}

async function measure(folder: string, options: Options): Promise<void> {
  const isOnPostgres = isAskedFor('postgresql', options.servers)
  const { works, machine } = await prepare(folder, options, isOnPostgres)
  const onFolder = [rookery('embedded'), ...(options.before === '' ? [] : [rookery('before', options.before)])]
  const servers: Started[] = []
  for (const server of onFolder) {
    const copy = `${folder}-${server.name}`
    await cp(folder, copy, { recursive: true })
    servers.push({ server, env: { ...settings, DATA_DIR: copy } })
  }
  if (isOnPostgres) servers.push({ server: rookery('postgresql'), env: { ...settings, DATABASE_URL: urlOf(options) } })
  const starts = isAskedFor('start', options.works) ? await measureStarts(onFolder) : []
  const running = await startAll(servers)
  try {
    const title = 'Results with the embedded database'
    await compare({
      title,
      command: 'bench:embedded',
      running,
      works,
      db: undefined,
      options,
      starts,
      live: [],
      feed: [],
      machine,
    })
  } finally {
    await stopAll(running)
  }
}

const options = readOptions(process.argv.slice(2), process.env, {
  database: 'rookery_bench_embedded',
  users: '2000',
  posts: '20000',
  likes: '60000',
  follows: '40000',
  connections: '16',
  out: 'EMBEDDED.md',
})
requireKnown('servers', options.servers, ['embedded', 'before', 'postgresql'])
requireKnown('works', options.works, [...measured, 'start'])
if (!options.skipBuild) buildRookery()
const folder = await mkdtemp(join(tmpdir(), 'rookery-bench-'))
try {
  await measure(join(folder, 'data'), options)
} finally {
  await rm(folder, { recursive: true, force: true })
}
