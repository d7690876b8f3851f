import { compressions } from '../../src/http/encoding.ts'
import { buildRookery } from './database/create.ts'
import { ask } from './measuring/answers.ts'
import { number, table } from './report/markdown.ts'
import { graphql } from './stress/attack.ts'
import { createEmbedded } from './stress/databases.ts'
import { addTargets, seed } from './stress/network.ts'
import { serve } from './stress/rookery.ts'

// What it takes to compress the nested home timelines that Rookery sends, at each quality that is quick enough for single responses.

const pages = [
  { posts: 20, replies: 3 },
  { posts: 100, replies: 20 },
] as const
const ways = [
  { encoding: 'gzip', qualities: [1, 6] },
  { encoding: 'br', qualities: [0, 1, 2, 3, 4, 5] },
] as const
const repetitions = 400
const atOnce = 4

function timeline({ posts, replies }: (typeof pages)[number]): string {
  const author = 'author { uuid username displayName viewerIsFollowing }'
  return `{ homeTimeline(first: ${posts}) { nodes { uuid content createdAt replyCount likeCount viewerHasLiked ${author}
    replies(first: ${replies}) { nodes { uuid content createdAt ${author} } } } } }`
}

/** The bodies of the timelines, of a server and database that exist only for this. */
async function takeBodies(): Promise<Buffer[]> {
  const database = await createEmbedded()
  await seed(database)
  const running = await serve(database)
  try {
    const { politeToken } = await addTargets(database)
    const bodies: Buffer[] = []
    for (const page of pages) {
      bodies.push(Buffer.from(JSON.stringify(await ask(running.origin, graphql(timeline(page), politeToken)))))
    }
    return bodies
  } finally {
    await running.stop()
    await database.drop()
  }
}

/** The milliseconds of processor time, over all threads, of one call. */
async function processorTime(work: () => Promise<Buffer>): Promise<number> {
  const lane = async () => {
    for (let nth = 0; nth < repetitions / atOnce; nth++) await work()
  }
  const run = () => Promise.all(Array.from({ length: atOnce }, lane))
  await run()
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000 / repetitions
}

buildRookery()
const rows: string[][] = []
for (const body of await takeBodies()) {
  for (const { encoding, qualities } of ways) {
    for (const quality of qualities) {
      const compress = () => compressions[encoding](body, quality)
      const { length } = await compress()
      const share = `${Math.round((length / body.length) * 100)}%`
      rows.push([
        `${encoding} ${quality}`,
        String(body.length),
        String(length),
        share,
        number(await processorTime(compress)),
      ])
    }
  }
}
const head = ['Encoding and quality', 'Bytes', 'Compressed', 'Share', 'CPU ms']
process.stdout.write(`${table(head, rows).join('\n')}\n`)
