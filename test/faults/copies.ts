import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { staleness } from '../../src/engine/auth/viewers.ts'
import { call, countCode, type Ledger, nameOf, note, type Target } from './load.ts'

/** The timelines, each with the sources of the changes that a copy of it needs. */
const kept = [
  { timeline: 'homeTimeline', of: { home: true } },
  { timeline: 'publicTimeline', of: { home: true, public: true } },
]

/** A copy of the newest posts of a timeline: read once, kept by the change feed, and read again where the reference says so. */
export type Copy = (typeof kept)[number] & {
  readonly owner: Target['keepers'][number]
  /** The texts by UUID. */
  posts: Map<string, string>
  /** The post from which on it has all. */
  oldest: string
  /** When it has to be read again, in the order of time. */
  due: readonly number[]
  /** How many changes it took since it was read. */
  applied: number
}

const post = z.object({ uuid: z.string(), content: z.string() })
const timelinePage = z.object({
  data: z.object({
    changeCursor: z.string(),
    timeline: z.object({ nodes: z.array(post), pageInfo: z.object({ hasNextPage: z.boolean() }) }),
  }),
})
const changePage = z.object({
  data: z.object({
    changes: z.object({
      nodes: z.array(
        z.object({
          kind: z.string(),
          uuid: z.string(),
          publication: post.extend({ __typename: z.string() }).nullable(),
        }),
      ),
      pageInfo: z.object({ endCursor: z.string() }),
    }),
  }),
})

const changesQuery = `query ($of: ChangeFilter!, $after: String) { changes(of: $of, after: $after, first: 50) {
  nodes { kind uuid publication { __typename uuid content } } pageInfo { endCursor } } }`

const ask = (origin: string, { owner: { token } }: Copy, query: string, variables = {}) =>
  call(origin, token, 'POST', '/graphql', { query, variables })

const readTimeline = (origin: string, copy: Copy) =>
  ask(
    origin,
    copy,
    `{ changeCursor timeline: ${copy.timeline}(first: 100) { nodes { uuid content } pageInfo { hasNextPage } } }`,
  )

/** As the reference says: again now, and, as several processes serve it, after the time that they keep sessions. */
const twice = () => [performance.now(), performance.now() + staleness]

/** Takes the next changes. */
function apply(copy: Copy, { nodes }: z.infer<typeof changePage>['data']['changes']): void {
  for (const { kind, uuid, publication } of nodes) {
    copy.applied += 1
    if (/BLOCKED|FOLLOWED/.test(kind)) copy.due = twice()
    else if (kind === 'DELETED') copy.posts.delete(uuid)
    else if (publication?.__typename === 'Post' && uuid >= copy.oldest) copy.posts.set(uuid, publication.content)
  }
}

/** What the owner of a copy and an author do in turns, so that the author is blocked by either, not followed, muted, or none of this. */
const steps = [
  { verb: 'blocks', path: 'block', by: 'owner' },
  { verb: 'blocks', path: 'block', by: 'owner' },
  { verb: 'follows', path: 'follow', by: 'owner' },
  { verb: 'blocks', path: 'block', by: 'author' },
  { verb: 'blocks', path: 'block', by: 'author' },
  { verb: 'follows', path: 'follow', by: 'owner' },
  { verb: 'mutes', path: 'mute', by: 'owner' },
  { verb: 'mutes', path: 'mute', by: 'owner' },
] as const

/** Keeps copies, whose owners block, mute and follow the authors and are blocked by them until `quiet`. */
export function startCopies(target: Target, ledger: Ledger, quiet: AbortSignal, stop: AbortSignal) {
  const toggle = async (origin: string, copy: Copy, nth: number): Promise<boolean> => {
    // The first author stays followed.
    const [authors, tokens] = [target.users.slice(1), target.tokens.slice(1)]
    const author = nth % authors.length
    const [token = '', other = ''] = [tokens[author], authors[author]]
    const step = steps[(Math.floor(nth / authors.length) + 2 * author) % steps.length] ?? steps[0]
    const [by, me, object] =
      step.by === 'owner' ? [copy.owner.token, copy.owner.id, other] : [token, other, copy.owner.id]
    const reply = await call(origin, by, 'POST', `/api/v1/user/${object}/${step.path}`)
    // Only the owner knows of a mute, maybe of one that was not acknowledged.
    if (step.verb === 'mutes') copy.due = twice()
    else note(ledger, nameOf(me, step.verb, object), reply)
    // A follow of who blocks.
    if (reply.code !== 'FORBIDDEN') countCode(ledger.codes, reply.code)
    return reply.code !== 'UNAVAILABLE'
  }
  const keep = async (copy: Copy) => {
    let after = ''
    let nth = 0
    for (let round = 0; !stop.aborted; round += 1) {
      const origins = target.origins()
      const origin = origins[round % origins.length] ?? ''
      const [time = Number.POSITIVE_INFINITY, ...later] = copy.due
      const isDue = time <= performance.now()
      const { code, body } = isDue
        ? await readTimeline(origin, copy)
        : await ask(origin, copy, changesQuery, { of: copy.of, after })
      countCode(ledger.codes, code)
      if (code === 'OK' && isDue) {
        const { changeCursor, timeline } = timelinePage.parse(body).data
        copy.posts = new Map(timeline.nodes.map(({ uuid, content }) => [uuid, content]))
        copy.oldest = (timeline.pageInfo.hasNextPage && timeline.nodes.at(-1)?.uuid) || ''
        copy.due = later
        copy.applied = 0
        after = changeCursor
      } else if (code === 'OK') {
        const { changes } = changePage.parse(body).data
        apply(copy, changes)
        after = changes.pageInfo.endCursor
      }
      if (round % 3 === 0 && !quiet.aborted && (await toggle(origin, copy, nth))) nth += 1
      await sleep(50)
    }
  }
  const copies = kept.flatMap((each, nth): Copy[] => {
    const owner = target.keepers[nth]
    return owner ? [{ ...each, owner, posts: new Map(), oldest: '', due: [0], applied: 0 }] : []
  })
  return { copies, ended: Promise.all(copies.map(keep)) }
}

/** The posts that only the copy or only the timeline has now, as far as both know them. */
export async function differences(target: Target, copy: Copy): Promise<unknown[]> {
  const { body } = await readTimeline(target.origins()[0] ?? '', copy)
  const { nodes } = timelinePage.parse(body).data.timeline
  const textOf = (uuid: string, content: string) => `${uuid} ${content}`
  const known = nodes.filter(({ uuid }) => uuid >= copy.oldest).map(({ uuid, content }) => textOf(uuid, content))
  const own = [...copy.posts].map(([uuid, content]) => textOf(uuid, content))
  const newest = own.toSorted((one, other) => (one < other ? 1 : -1)).slice(0, 100)
  return [...known.filter((each) => !newest.includes(each)), ...newest.filter((each) => !known.includes(each))]
}
