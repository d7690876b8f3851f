import { randomBytes, scrypt as scryptWithCallback, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../engine/errors.ts'

const scrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scryptWithCallback,
)

/** The cost of a hash in the parameters of scrypt (RFC 7914); `ln` is the binary logarithm of N. */
type Cost = { readonly ln: number; readonly r: number; readonly p: number }

/** Settings of `Passwords` that differ from its defaults. */
type Hashing = { readonly cost?: Cost; readonly atOnce?: number }

/** The recommendation of OWASP's Password Storage Cheat Sheet: 32 MiB, three passes. */
const usualCost: Cost = { ln: 15, r: 8, p: 3 }
const hashBytes = 32

/**
 * How many hashes run at once: each takes 32 MiB and a core for about 0.2 s. One core is left for everything else, and of the four
 * threads of libuv one for files and names of hosts, which would otherwise wait for hashes.
 */
const usuallyAtOnce = Math.min(3, Math.max(1, availableParallelism() - 1))

/** How many hashes may wait for their turn, and for how many milliseconds. */
const waitingHashes = 16
const timeout = 10_000

/** Who gives a password: the address, and the account that it names or has a token of. */
export type Attempt = { readonly address: string; readonly account: string }

/** Stands for the address of the operator. */
export const operatorAddress = 'operator'

/** How many pairs of an address and an account are remembered after a correct password. */
const rememberedSuccesses = 10_000
const pairOf = ({ address, account }: Attempt) => `${account} from ${address}`

const phc = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/
const phcOf = ({ ln, r, p }: Cost, salt: string, hash: string) => `$scrypt$ln=${ln},r=${r},p=${p}$${salt}$${hash}`

/**
 * Hashes passwords and compares them with hashes, in a fair queue. Passwords are normalized to NFC (RFC 8265), because keyboards
 * compose the same letters differently.
 */
export class Passwords {
  readonly #cost: Cost
  readonly #queue: PasswordQueue
  readonly #successes = new LRUCache<string, true>({ max: rememberedSuccesses })

  constructor({ cost = usualCost, atOnce = usuallyAtOnce }: Hashing = {}) {
    this.#cost = cost
    this.#queue = new PasswordQueue({
      atOnce,
      maxWaiting: waitingHashes,
      timeout,
      refusal: () => new Refusal('UNAVAILABLE', 'Too many people are signing in. Try again in a few seconds.'),
    })
  }

  /** The hash of a password in the PHC string format. Throws `UNAVAILABLE` when too many are being hashed. */
  async hash(password: string, attempt: Attempt): Promise<string> {
    const salt = randomBytes(16)
    const hash = await this.#derive(password.normalize(), salt, this.#cost, attempt)
    return phcOf(this.#cost, salt.toString('base64url'), hash.toString('base64url'))
  }

  /** Whether the password matches the hash. Without a hash it takes as long, and returns false. Throws as `hash` does. */
  async verify(password: string, stored: string | null | undefined, attempt: Attempt): Promise<boolean> {
    const nobody = phcOf(this.#cost, 'A'.repeat(22), 'A'.repeat(43))
    const [, ln, r, p, salt = '', hash = ''] = phc.exec(stored ?? nobody) ?? []
    if (!hash) throw new TypeError('A stored password hash is not in the format of this version')
    const expected = Buffer.from(hash, 'base64url')
    const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
    const derived = await this.#derive(password.normalize(), Buffer.from(salt, 'base64url'), cost, attempt)
    if (!timingSafeEqual(derived, expected) || stored == null) return false
    this.#successes.set(pairOf(attempt), true)
    return true
  }

  /**
   * A new hash of a correct password whose stored hash has other parameters than the present ones.
   * Undefined if it needs none, or if too many passwords are being hashed: then a later sign-in replaces it.
   */
  async upgrade(password: string, stored: string, attempt: Attempt): Promise<string | undefined> {
    if (stored.startsWith(phcOf(this.#cost, '', '').slice(0, -1))) return undefined
    return this.hash(password, attempt).catch((error: unknown) => {
      if (error instanceof Refusal && error.code === 'UNAVAILABLE') return undefined
      throw error
    })
  }

  #derive(password: string, salt: Buffer, { ln, r, p }: Cost, attempt: Attempt): Promise<Buffer> {
    const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
    return this.#queue.run(this.#partiesOf(attempt), () => scrypt(password, salt, hashBytes, options))
  }

  /** An address that has sent the correct password is queued apart, so that guesses from elsewhere do not keep the owner waiting. */
  #partiesOf(attempt: Attempt): Parties {
    const pair = pairOf(attempt)
    return [`address ${attempt.address}`, `account ${this.#successes.has(pair) ? pair : attempt.account}`]
  }
}

/** How many jobs run at once, how many may wait, for how many milliseconds, and the error of those that are refused. */
type QueueLimits = {
  readonly atOnce: number
  readonly maxWaiting: number
  readonly timeout: number
  readonly refusal: () => Refusal
}

/** The two parties that a job counts for, such as the address of a client and the account that it names. */
export type Parties = readonly [string, string]

type Job = {
  readonly parties: Parties
  readonly since: number
  readonly start: () => void
  readonly refuse: () => void
}

/** How many parties the queue remembers. A forgotten party counts as new. */
const rememberedParties = 10_000

/**
 * Runs a few password checks at once while others wait. The next job is the one whose parties have waited longest since their last
 * turn, so a party with many jobs waits behind parties with few. When too many jobs wait, one of the party with the most jobs is
 * refused, which may be an older one. A refusal counts as a turn, so retrying brings no advantage.
 */
export class PasswordQueue {
  readonly #limits: QueueLimits
  readonly #lastTurns = new LRUCache<string, number>({ max: rememberedParties })
  #waiting: readonly Job[] = []
  #running = 0
  #turns = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Runs the work when its turn comes, and returns its result. Rejects with the refusal when too many jobs wait. */
  run<T>(parties: Parties, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const start = async () => {
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        } finally {
          this.#running -= 1
          this.#startNext()
        }
      }
      const refuse = () => reject(this.#limits.refusal())
      this.#waiting = [...this.#waiting, { parties, since: performance.now(), start, refuse }]
      this.#startNext()
      if (this.#waiting.length > this.#limits.maxWaiting) this.#take(this.#mostCrowded())?.refuse()
    })
  }

  #startNext(): void {
    const tooLate = performance.now() - this.#limits.timeout
    for (const job of this.#waiting) if (job.since < tooLate) this.#take(job)?.refuse()
    while (this.#running < this.#limits.atOnce && this.#waiting.length > 0) {
      this.#running += 1
      this.#take(this.#inOrder()[0])?.start()
    }
  }

  /** Removes a job from the queue, which counts as a turn of its parties. */
  #take(job: Job | undefined): Job | undefined {
    this.#waiting = this.#waiting.filter((it) => it !== job)
    this.#turns += 1
    for (const party of job?.parties ?? []) this.#lastTurns.set(party, this.#turns)
    return job
  }

  /** The waiting jobs, those first whose parties have waited longest since their last turn. */
  #inOrder(): readonly Job[] {
    const ranked = this.#waiting.map((job) => {
      const turns = job.parties.map((party) => this.#lastTurns.peek(party) ?? 0)
      return { job, latest: Math.max(...turns), earliest: Math.min(...turns) }
    })
    // Between jobs that share a party the other party decides, then the order of arrival.
    ranked.sort((a, b) => a.latest - b.latest || a.earliest - b.earliest)
    return ranked.map(({ job }) => job)
  }

  /** The last of the jobs of the parties with the most jobs. */
  #mostCrowded(): Job | undefined {
    const jobsOf = (party: string) => this.#waiting.filter(({ parties }) => parties.includes(party)).length
    const crowds = this.#inOrder().map((job) => ({ job, size: Math.max(...job.parties.map(jobsOf)) }))
    const largest = Math.max(...crowds.map(({ size }) => size))
    return crowds.findLast(({ size }) => size === largest)?.job
  }
}
