import { mkdtemp, rm } from 'node:fs/promises'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildRookery, root } from './database/create.ts'

const warmUp = 20

const nested = `query Home {
  homeTimeline(first: 20) { nodes { uuid content likeCount viewerHasLiked author { username viewerIsFollowing }
    replies(first: 3) { nodes { content author { username } } } } }
}`

/** A named function of Rookery that ran, with its file and how often it ran. */
type Ran = { readonly file: string; readonly name: string; readonly count: number; readonly at: number }

/** The layers, from the first that a request meets. */
const layers = ['server', 'http', 'graphql', 'rest', 'execution', 'schema', 'reads', 'domain', 'data']

const layerOf = (file: string) => layers.indexOf(file.split('/')[0] ?? '') + 1 || layers.length + 1

/** Starts to count calls, and returns what tells which functions ran since the last time that it was called. */
async function countCalls(): Promise<() => Promise<Ran[]>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const dist = pathToFileURL(join(root, 'dist/')).href
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const ran = result
      .filter(({ url }) => url.startsWith(dist))
      .flatMap(({ url, functions }) =>
        functions.map(({ functionName: name, ranges }) => ({
          file: relative(join(root, 'dist'), fileURLToPath(url)),
          name,
          count: ranges[0]?.count ?? 0,
          at: ranges[0]?.startOffset ?? 0,
        })),
      )
    // The outermost function of a module has no name, and V8 names what initializes fields itself.
    return ran
      .filter(({ name, count }) => name !== '' && !name.startsWith('<') && count > 0)
      .sort(
        (one, other) =>
          layerOf(one.file) - layerOf(other.file) || one.file.localeCompare(other.file) || one.at - other.at,
      )
  }
}

async function print(title: string, take: () => Promise<Ran[]>, send: () => Promise<Response>): Promise<void> {
  for (let time = 0; time < warmUp; time += 1) await (await send()).text()
  await take()
  const response = await send()
  const text = await response.text()
  if (response.status !== 200 || text.includes('"errors"')) throw new Error(`${title} was answered with ${text}`)
  // What ends a request runs after its response.
  await new Promise((resolve) => setTimeout(resolve, 100))
  const ran = await take()
  process.stdout.write(`${title}: ${ran.length} named functions\n`)
  for (const { file, name, count } of ran)
    process.stdout.write(`  ${file.padEnd(42)} ${name}${count > 1 ? ` ×${count}` : ''}\n`)
}

/** Prints the named functions of Rookery that requests pass, on the embedded database with the demo. */
async function main(): Promise<void> {
  if (!process.argv.includes('--skip-build')) buildRookery()
  const take = await countCalls()
  const load = (file: string) => import(pathToFileURL(join(root, 'dist', file)).href)
  const [{ openDatabase }, { serve }, { readConfig }, { createLog }] = await Promise.all(
    ['data/database.js', 'server/serve.js', 'config.js', 'log.js'].map(load),
  )
  const folder = await mkdtemp(join(tmpdir(), 'rookery-functions-'))
  // As in the benchmark.
  const config = readConfig({ PORT: '0', DATA_DIR: folder, RATE_LIMIT: 'off' })
  const log = createLog(config.logLevel)
  const database = await openDatabase({ kind: 'embedded', folder, opener: 'server' }, log)
  const running = await serve(database, config, log)
  try {
    const headers = { authorization: `Bearer ${running.demoToken}`, 'content-type': 'application/json' }
    const query = (text: string) =>
      fetch(`${running.origin}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: text }) })
    const [, uuid = ''] =
      /"uuid":"([^"]+)"/.exec(await (await query('{ publicTimeline(first: 1) { nodes { uuid } } }')).text()) ?? []
    await print('Nested home timeline', take, () => query(nested))
    await print('Like over REST', take, () =>
      fetch(`${running.origin}/api/v1/post/${uuid}/like`, { method: 'POST', headers }),
    )
  } finally {
    await running.stop()
    await rm(folder, { recursive: true })
  }
}

await main()
