import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import type { TextForm } from '../text/text-form.ts'
import { uuidForm, version7 } from '../text/uuids.ts'

/**
 * How far ids that clients make may be ahead in seconds, since clocks differ. For so long they hide what is sent after them from
 * those who page on.
 */
export const secondsAhead = 60

/** How far ahead of the clock new ids may be, in milliseconds. */
const farthestAhead = secondsAhead * 1_000

/** How many random bytes an id takes, and for how many ids they are fetched at once, since each fetch takes longer than making an id. */
const idBytes = 16
const idsAtOnce = 256

const pool = new Uint8Array(idBytes * idsAtOnce)
let used = pool.length
let last = { time: 0, sequence: 0 }

/**
 * A UUID of version 7 (RFC 9562). Each is higher than those that this process made before, also while its clock stands still or steps back
 * a little. After a greater step back, the clock was wrong before, and new ids have the right time again.
 */
export function newId(): string {
  const now = Date.now()
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  const random = pool.subarray(used - idBytes, used)
  const isHeld = now <= last.time && last.time - now <= farthestAhead
  // A random start of 31 bits leaves room for more ids than can be made meanwhile.
  last = isHeld
    ? { time: last.time, sequence: last.sequence + 1 }
    : { time: now, sequence: new DataView(random.buffer, random.byteOffset).getUint32(0) >>> 1 }
  return v7({ msecs: last.time, seq: last.sequence, random })
}

/** The lowest UUID of version 7 of this time, in milliseconds since 1970. */
export function lowestIdAt(time: number): string {
  return v7({ msecs: time, seq: 0, random: new Uint8Array(idBytes) })
}

/** How far the time of a client-made UUID may be behind that of the server, since clients send later what was written offline. */
const hoursBehind = 24

const near = `at most ${hoursBehind} hours behind and ${secondsAhead} seconds ahead of`

/** A UUID that a client makes. Its time decides where the new object appears in lists. */
export const clientUuid: TextForm = {
  ...uuidForm,
  pattern: version7,
  words: `a version 7 UUID whose timestamp is ${near} the server's clock`,
  fault: (uuid) => {
    if (!version7.test(uuid)) return 'must be a UUID of version 7'
    const ahead = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) - Date.now()
    if (ahead < -hoursBehind * 3_600_000 || ahead > secondsAhead * 1_000)
      return `must have a time ${near} that of the server`
    return undefined
  },
}
