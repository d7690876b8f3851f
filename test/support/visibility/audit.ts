import type { Random } from '../../../src/features/demo/random.ts'
import { compareExport, compareFeed, compareStream } from './feed.ts'
import { each, type Oracle, type TokenReader } from './oracle.ts'

/** How much of a network is read: by so many accounts, and by each of them so many lists, other ways, and tools of agents. */
export type Extent = {
  readonly readers: number
  readonly lists: number
  readonly ways: number
  readonly asAgent: number
}

/** So many items at random, or all. */
export function some<T>(items: readonly T[], count: number, random: Random): T[] {
  const left = [...items]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)).flat()
}

/** Lets everybody, or some, read all that there is, or a part of it. The moderator and an application of somebody always read. */
export async function auditReads(oracle: Oracle, start: string, extent: Extent, random: Random): Promise<void> {
  const ways = oracle.waysAfter(start)
  const all = await oracle.readers()
  const isSpecial = ({ moderates, mayLittle }: TokenReader) => moderates || mayLittle
  const readers = [
    ...some(
      all.filter((it) => !isSpecial(it)),
      extent.readers,
      random,
    ),
    ...all.filter(isSpecial),
  ]
  for (const [nth, reader] of readers.entries()) {
    if (!reader.mayLittle) {
      await oracle.compareLists(reader, (lists) => some(lists, extent.lists, random))
      await oracle.compareLookups(reader)
      await oracle.compareThreads(reader)
      await oracle.compareNotifications(reader)
    }
    await each(some(ways, extent.ways, random), (way) => oracle.read(reader, way))
    if (reader.mayLittle || nth >= extent.readers) continue
    await oracle.readAsAgent(reader, some(ways, extent.asAgent, random))
    await compareFeed(oracle, reader, start)
    await compareStream(oracle, reader, start)
    await compareExport(oracle, reader)
  }
}
