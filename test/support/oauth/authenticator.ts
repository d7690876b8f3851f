import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { z } from 'zod'
import type { Loaded } from './browser.ts'

/** Encodes what WebAuthn needs in CBOR (RFC 8949): small integers, bytes, short texts and maps. */
function cbor(value: number | string | Buffer | ReadonlyMap<number | string, unknown>): Buffer {
  const head = (major: number, size: number) => {
    if (size < 24) return Buffer.from([(major << 5) | size])
    return size < 256 ? Buffer.from([(major << 5) | 24, size]) : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
  }
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  const entries = [...value].flatMap(([key, of]) => [cbor(key), cbor(encodable.parse(of))])
  return Buffer.concat([head(5, value.size), ...entries])
}
const encodable = z.union([
  z.number(),
  z.string(),
  z.instanceof(Buffer),
  z.map(z.union([z.number(), z.string()]), z.unknown()),
])

const hashOf = (data: string | Buffer) => createHash('sha256').update(data).digest()
const shown = z.object({
  challenge: z.string(),
  rpId: z.string().optional(),
  rp: z.object({ id: z.string() }).optional(),
})

/** What a page asks the browser to do with an authenticator. Throws if it does not ask. */
export function askedBy({ text, url }: Loaded) {
  const options = /data-options="([^"]+)"/.exec(text)?.[1]?.replaceAll('&#34;', '"')
  if (options === undefined) throw new TypeError(`The page at ${url} asks for no passkey: ${text}`)
  const { get, create } = z.object({ get: shown.optional(), create: shown.optional() }).parse(JSON.parse(options))
  const { challenge = '', rpId, rp } = get ?? create ?? {}
  return { challenge, rpId: rpId ?? rp?.id ?? '', options: JSON.parse(options) }
}

/** What an answer says otherwise than it should. */
type Forged = {
  readonly origin?: string
  readonly challenge?: string
  readonly rpId?: string
  readonly counter?: number
}

/** An authenticator with a browser, in software (WebAuthn): it has one passkey, which signs with ES256. */
export class Authenticator {
  readonly #key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #id = randomBytes(32)
  #counter = 0

  /** The id of its passkey. */
  get id(): string {
    return this.#id.toString('base64url')
  }

  #dataOf(rpId: string, flags: number, counter: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([hashOf(rpId), Buffer.from([flags]), count])
  }

  #answer(page: Loaded, type: string, forged: Forged) {
    const { challenge, rpId } = { ...askedBy(page), ...forged }
    const client = { type, challenge, origin: forged.origin ?? new URL(page.url).origin, crossOrigin: false }
    this.#counter = forged.counter ?? this.#counter + 1
    return { rpId, counter: this.#counter, client: Buffer.from(JSON.stringify(client)) }
  }

  /** Makes the passkey that a page asks for, as the field of its form. */
  create(page: Loaded, forged: Forged = {}): string {
    const { rpId, counter, client } = this.#answer(page, 'webauthn.create', forged)
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' })
    const [left, right] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]
    const key = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, left],
        [-3, right],
      ]),
    )
    const attested = [Buffer.alloc(16), Buffer.from([0, this.#id.length]), this.#id, key]
    const authData = Buffer.concat([this.#dataOf(rpId, 0x41, counter), ...attested])
    const object = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    )
    const response = { clientDataJSON: client.toString('base64url'), attestationObject: object.toString('base64url') }
    return JSON.stringify({ id: this.id, response: { ...response, transports: ['usb', 'pigeon'] } })
  }

  /** Uses its passkey where a page asks for one, as the field of its form. */
  get(page: Loaded, forged: Forged = {}): string {
    const { rpId, counter, client } = this.#answer(page, 'webauthn.get', forged)
    const data = this.#dataOf(rpId, 0x01, counter)
    const signature = sign('sha256', Buffer.concat([data, hashOf(client)]), this.#key.privateKey)
    const response = { clientDataJSON: client, authenticatorData: data, signature }
    const encoded = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')])
    return JSON.stringify({ id: this.id, response: Object.fromEntries(encoded) })
  }
}
