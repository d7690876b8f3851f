import { randomBytes, scrypt as scryptWithCallback, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../engine/errors.ts'
import { type Parties, PasswordQueue } from './password-queue.ts'

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
