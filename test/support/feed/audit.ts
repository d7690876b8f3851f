import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Mirror, randomSources } from './mirror.ts'
import { type Member, randomRounds, World } from './world.ts'

/** How large an audit is. */
export type Size = { readonly rounds: number; readonly steps: number; readonly mirrors: number }

/** Who takes part: the first follow each other, the last one only reads. */
export type Cast = { readonly members: readonly Member[]; readonly moderator: Member; readonly reader: Member }

type Options = Size &
  Cast & {
    readonly seed: number
    readonly origin: () => string
    /** Waits until readers may see all that was written. */
    readonly settle: () => Promise<unknown>
    /** What happens while members write, by the number of the round. */
    readonly during?: (round: number) => Promise<unknown>
  }

/**
 * Lets members write at random at the same time, while mirrors of what they see follow the feed, each from random sources. After
 * each round every mirror has to be what the queries say. Throws with the seed and the differences; returns how many changes
 * mirrors took, and how often they were compared.
 */
export async function audit({
  seed,
  origin,
  settle,
  during,
  ...options
}: Options): Promise<{ applied: number; compared: number }> {
  const { members, moderator, reader, rounds, steps, mirrors: each } = options
  let mirrors: Mirror[] = []
  const onMute = (member: Member) => {
    for (const mirror of mirrors) if (mirror.viewer === member) mirror.isDue = true
  }
  const world = new World(members, moderator, origin, onMute)
  for (const [nth, member] of members.entries()) {
    await world.publish(member, `Post ${nth} #a`)
    await world.take(member, { what: 'follow', on: 0, to: 0 })
    await world.take(member, { what: 'reply', on: nth, to: 1 })
  }
  const uuids = world.written.map(({ uuid }) => uuid)
  const roots = world.written.filter(({ parent }) => !parent).map(({ uuid }) => uuid)
  const users = members.map(({ id }) => id)
  mirrors = [...members, moderator, reader].flatMap((viewer, nth) =>
    randomSources(seed + 10 + nth, each, uuids, roots, users).map((of) => new Mirror(world, viewer, of, origin)),
  )
  const pageSizes = fc.sample(fc.constantFrom(2, 10, 100), { seed, numRuns: mirrors.length })
  const catchUp = () => Promise.all(mirrors.map((mirror, nth) => mirror.catchUp(pageSizes[nth] ?? 2)))
  await catchUp()
  let compared = 0
  for (const [nth, round] of randomRounds(seed, { rounds, members: members.length, steps }).entries()) {
    const writing = members.map(async (member, at) => {
      for (const step of round[at] ?? []) await world.take(member, step)
    })
    await Promise.all([...writing, catchUp(), during?.(nth)])
    await settle()
    await catchUp()
    for (const mirror of mirrors) {
      if (mirror.isCurrent) compared += 1
      let found = await mirror.differences()
      // What changes with time, such as what another process knows of blocks.
      for (let tries = 0; during && found.length > 0 && tries < 30; tries += 1) {
        await sleep(300)
        await mirror.catchUp(20)
        found = await mirror.differences()
      }
      if (found.length > 0)
        throw new Error(
          `Seed ${seed}, round ${nth}, ${mirror.viewer.username} by ${JSON.stringify(mirror.of)}:\n${found.join('\n')}`,
        )
    }
  }
  return { applied: mirrors.reduce((sum, { applied }) => sum + applied, 0), compared }
}
