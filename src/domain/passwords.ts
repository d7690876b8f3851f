import { randomBytes, scrypt as scryptWithCallback, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import { FairQueue, type Parties } from './fair-queue.ts'

const scrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scryptWithCallback,
)

/** What a hash costs, in the parameters of scrypt (RFC 7914): `ln` is the logarithm of its N. */
type Cost = { readonly ln: number; readonly r: number; readonly p: number }

/** How passwords are hashed, where it is not as `Passwords` has it. */
export type Hashing = { readonly cost?: Cost; readonly atOnce?: number }

/** As OWASP's Password Storage Cheat Sheet has it: 32 MiB, three times over. */
const usualCost: Cost = { ln: 15, r: 8, p: 3 }
const hashBytes = 32

/**
 * How many hashes run at once: each takes 32 MiB and a core for about 0.2 s. One core is left for everything else, and of the four
 * threads of libuv one for files and names of hosts, which would otherwise wait for hashes.
 */
const usuallyAtOnce = Math.min(3, Math.max(1, availableParallelism() - 1))

/** How many hashes wait for their turn, and for how many milliseconds. */
const waiting = 16
const patience = 10_000

/** For whom a password is hashed: the client's address, and the account that it names or is. */
export type Requester = { readonly address: string; readonly account: string }

/** The address of whoever runs the server and its commands. */
export const operatorAddress = 'operator'

/** How many pairs of an address and an account are remembered for a password that was right. */
const rememberedSuccesses = 10_000
const pairOf = ({ address, account }: Requester) => `${account} from ${address}`

const phc = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/
const phcOf = ({ ln, r, p }: Cost, salt: string, hash: string) => `$scrypt$ln=${ln},r=${r},p=${p}$${salt}$${hash}`

/** Hashes passwords and compares them with hashes, in a fair queue. */
export class Passwords {
  readonly #cost: Cost
  readonly #queue: FairQueue
  readonly #successes = new LRUCache<string, true>({ max: rememberedSuccesses })

  constructor({ cost = usualCost, atOnce = usuallyAtOnce }: Hashing = {}) {
    this.#cost = cost
    this.#queue = new FairQueue({
      atOnce,
      waiting,
      patience,
      refusal: () => new Refusal('UNAVAILABLE', 'Too many people are signing in: try again in a few seconds.'),
    })
  }

  /** The hash of a password in the PHC string format. Throws `UNAVAILABLE` when too many are being hashed. */
  async hash(password: string, requester: Requester): Promise<string> {
    const salt = randomBytes(16)
    const hash = await this.#derive(password, salt, this.#cost, requester)
    return phcOf(this.#cost, salt.toString('base64url'), hash.toString('base64url'))
  }

  /** Whether the password is the hashed one. Where there is no hash it takes as long, and is false. Throws as `hash` does. */
  async verify(password: string, stored: string | null | undefined, requester: Requester): Promise<boolean> {
    const nobody = phcOf(this.#cost, 'A'.repeat(22), 'A'.repeat(43))
    const [, ln, r, p, salt = '', hash = ''] = phc.exec(stored ?? nobody) ?? []
    if (!hash) throw new TypeError('A stored password hash is not in the format of this version')
    const expected = Buffer.from(hash, 'base64url')
    const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
    const derived = await this.#derive(password, Buffer.from(salt, 'base64url'), cost, requester)
    const isRight = timingSafeEqual(derived, expected) && stored != null
    if (isRight) this.#successes.set(pairOf(requester), true)
    return isRight
  }

  #derive(password: string, salt: Buffer, { ln, r, p }: Cost, requester: Requester): Promise<Buffer> {
    const options = { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }
    return this.#queue.run(this.#partiesOf(requester), () => scrypt(password, salt, hashBytes, options))
  }

  /** Where an account's password was right before, that counts apart, so guesses from elsewhere keep its owner out of nothing. */
  #partiesOf(requester: Requester): Parties {
    const pair = pairOf(requester)
    return [`address ${requester.address}`, `account ${this.#successes.has(pair) ? pair : requester.account}`]
  }
}
