import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { cleanUp } from './database/clean.ts'
import { buildRookery, createDatabase } from './database/create.ts'
import { takeSample } from './database/sample.ts'
import { compare } from './measuring/compare.ts'
import { measureFeed } from './measuring/feed.ts'
import { measureLive } from './measuring/live.ts'
import { isAskedFor, type Options, readOptions, requireKnown } from './options.ts'
import { machine } from './report/machine.ts'
import { environment } from './servers/environment.ts'
import { startAll, stopAll } from './servers/server.ts'
import { allServers } from './servers/servers.ts'
import { worksOn } from './works/works.ts'
import { likeWorks, sendWorks } from './works/writes.ts'

/** Compares Rookery with the floor, its peers and possibly another build of Rookery, on one database. */
async function measure(url: string, db: pg.Client, options: Options): Promise<void> {
  await db.query(await readFile(new URL('database/functions.sql', import.meta.url), 'utf8'))
  const sample = await takeSample(db)
  const all = worksOn(sample)
  requireKnown('works', options.works, [...all.map(({ name }) => name), 'live'])
  const works = all.filter(({ name }) => isAskedFor(name, options.works))
  const servers = allServers(options.before).filter(({ name }) => isAskedFor(name, options.servers))
  const env = environment(url, works, options.pool)
  const running = await startAll(servers.map((server) => ({ server, env })))
  const rookeries = running.filter(({ server }) => server.kind === 'rookery')
  const [first] = isAskedFor('live', options.works) && !options.checkOnly ? rookeries : []
  try {
    const live = first ? await measureLive(rookeries, sample.viewers, options) : []
    await cleanUp(db, { leaves: 'posts', calls: [] })
    const feed = first ? await measureFeed(first, [...likeWorks(sample), ...sendWorks(sample)], db, options) : []
    await compare({
      title: 'Results',
      command: 'bench',
      running,
      works,
      db,
      options,
      starts: [],
      live,
      feed,
      machine: await machine(db),
    })
  } finally {
    await stopAll(running)
  }
}

const options = readOptions(process.argv.slice(2), process.env)
const names = allServers(options.before).map(({ name }) => name)
requireKnown('servers', options.servers, names)
if (!options.skipBuild) buildRookery()
const url = await createDatabase(options)
const db = new pg.Client({ connectionString: url })
await db.connect()
try {
  await measure(url, db, options)
} finally {
  await db.end()
}
