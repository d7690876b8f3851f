import { randomBytes, scrypt as scryptWithCallback, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import { Refusal } from '../errors.ts'

const scrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scryptWithCallback,
)

/** Cost of scrypt (RFC 7914) as OWASP's Password Storage Cheat Sheet has it: 32 MiB, three times over. */
const cost = { ln: 15, r: 8, p: 3 } as const
const hashBytes = 32

/** Hashes take a core and 32 MiB each: only so many run at once, only so many wait, and the next is refused. */
const atOnce = 4
const waiting = 16
const limit = pLimit(atOnce)

async function derive(
  password: string,
  salt: Buffer,
  { ln, r, p }: { ln: number; r: number; p: number },
): Promise<Buffer> {
  if (limit.pendingCount >= waiting)
    throw new Refusal('UNAVAILABLE', 'Too many people are signing in: try again in a few seconds.')
  return limit(() => scrypt(password, salt, hashBytes, { N: 2 ** ln, r, p, maxmem: 256 * 2 ** ln * r }))
}

/** The hash of a password in the PHC string format. Throws `UNAVAILABLE` when too many are being hashed. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

const phc = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/
const nobody = `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Whether the password is the hashed one. Where there is no hash it takes as long, and is false. */
export async function verifyPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [, ln, r, p, salt = '', hash = ''] = phc.exec(stored ?? nobody) ?? []
  if (!hash) throw new TypeError('A stored password hash is not in the format of this version')
  const expected = Buffer.from(hash, 'base64url')
  const derived = await derive(password, Buffer.from(salt, 'base64url'), { ln: Number(ln), r: Number(r), p: Number(p) })
  return timingSafeEqual(derived, expected) && stored != null
}
