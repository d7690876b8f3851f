import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRookery, runCommand, seedCommand } from './database/create.ts'
import { deepKeysOf } from './database/deep-keys.ts'
import { takeSample } from './database/sample.ts'
import { type Contestant, checkAll, measureAll } from './embedded/measure.ts'
import { report } from './embedded/report.ts'
import { embeddedConnection, folderStore, serverStore, withClient } from './embedded/stores.ts'
import { measureStarts } from './measuring/starts.ts'
import { isAskedFor, type Options, readOptions } from './options.ts'
import { machine } from './report/machine.ts'
import { findRuntimes, newestOf } from './runtimes.ts'
import { start } from './servers/server.ts'
import { rookery, unbatched, withSmallHeap } from './servers/servers.ts'
import { worksOn } from './works/works.ts'

const measured = ['home', 'post', 'post-rest', 'like', 'like-rest', 'send']

/** Seeds a folder, and takes from it what is measured and on which servers. */
async function prepare(folder: string, options: Options) {
  const runtime = newestOf(findRuntimes(process.env))
  const isAsked = (name: string) => isAskedFor(name, options.servers)
  const own = rookery(runtime, 'embedded')
  // An empty variable counts as unset.
  await runCommand(seedCommand(options.network), { DATABASE_URL: '', DATA_DIR: folder })
  const running = await start(own, { DATA_DIR: folder, DEMO: 'off' })
  try {
    return await withClient(embeddedConnection(folder), async (db) => {
      const sample = await takeSample(db, options.network)
      const works = worksOn(sample, await deepKeysOf(db, sample)).filter(
        ({ name }) => measured.includes(name) && isAskedFor(name, options.works),
      )
      const store = folderStore(folder)
      const contestants: Contestant[] = [
        { server: withSmallHeap({ ...own, setUp: '`rookery serve` of this checkout on a folder' }), store },
      ]
      if (isAsked('unbatched')) contestants.push({ server: withSmallHeap(unbatched(runtime)), store })
      if (options.before !== '' && isAsked('before')) {
        const before = rookery(runtime, 'before', options.before)
        const setUp = '`rookery serve` of the other build on a folder'
        contestants.push({ server: withSmallHeap({ ...before, setUp }), store })
      }
      if (isAsked('postgresql')) {
        const other = rookery(runtime, 'postgresql')
        const setUp = '`rookery serve` of this checkout on a PostgreSQL server, with its usual pool'
        contestants.push({ server: withSmallHeap({ ...other, setUp }), store: await serverStore(options, db) })
      }
      return { works, contestants, machine: await machine(db, [runtime]) }
    })
  } finally {
    await running.stop()
  }
}

async function measure(folder: string, options: Options): Promise<void> {
  const { works, contestants, machine } = await prepare(folder, options)
  await checkAll(contestants, works, options)
  if (options.checkOnly) return
  const servers = contestants.map(({ server }) => server)
  const onFolders = servers.filter(({ name }) => name !== 'postgresql' && name !== 'unbatched')
  const starts = isAskedFor('start', options.works) ? await measureStarts(onFolders) : []
  const results = await measureAll(contestants, works, options)
  await writeFile(options.out, report({ options, machine, servers, works, results, starts }))
  process.stdout.write(`Written to ${options.out}\n`)
}

// Leaving by `exit` ends the servers too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readOptions(process.argv.slice(2), process.env, {
  database: 'rookery_bench_embedded',
  users: '2000',
  posts: '20000',
  likes: '60000',
  follows: '40000',
  out: 'EMBEDDED.md',
})
if (!options.skipBuild) buildRookery()
const folder = await mkdtemp(join(tmpdir(), 'rookery-bench-'))
try {
  await measure(join(folder, 'data'), options)
} finally {
  await rm(folder, { recursive: true, force: true })
}
