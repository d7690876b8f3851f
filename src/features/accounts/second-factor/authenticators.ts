import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'
import type { TextForm } from '../../../engine/text/text-form.ts'

/** What an authenticator app needs to know, as a secret, a URL and a QR code of the URL. */
export type AuthenticatorSetup = { readonly secret: string; readonly url: string; readonly qrCode: string }

const secretPattern = /^[A-Z2-7]{32}$/

/** Whether a text can be the secret of an authenticator app. */
export const isSecret = (text: string): boolean => secretPattern.test(text)

/** The secret of an authenticator app: 160 bits (RFC 4226, section 4) in base32. */
export const secretForm: TextForm = {
  min: 32,
  max: 32,
  pattern: secretPattern,
  words: '32 characters of A-Z and 2-7',
  fault: (text) => (isSecret(text) ? undefined : 'must be the secret of `beginSecondFactor`'),
}

const secretBytes = 20

/** How many time steps the clock of an app may be ahead or behind (RFC 6238, section 5.2). */
const window = 1

const newSecret = () => new Secret({ size: secretBytes }).base32

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Makes, stores and checks the secrets of authenticator apps (TOTP, RFC 6238): six digits of HMAC-SHA-1, every 30 seconds, which
 * are the only parameters that all apps support. Stored secrets are encrypted with AES-256-GCM, whose key comes from that of the
 * operator, and each is bound to its account, so that nobody can use one of their own for another account.
 */
export class Authenticators {
  readonly #key: Buffer
  readonly #issuer: string

  /** The key of the operator, as base64 or any other text with as much entropy, and the name of the server that apps show. */
  constructor(key: string, issuer: string) {
    this.#key = Buffer.from(hkdfSync('sha256', key, '', 'rookery second factors', 32))
    this.#issuer = issuer
  }

  /** What the app of an account needs to know: of a secret, by default a new one, which nothing stores yet. */
  setupOf(username: string, secret = newSecret()): AuthenticatorSetup {
    const url = new TOTP({ issuer: this.#issuer, label: username, secret }).toString()
    return { secret, url, qrCode: renderSVG(url, { border: 4, pixelSize: 1 }) }
  }

  /** The time step of a code, if the secret makes it now or one step before or after. */
  stepOf(secret: string, code: string): number | undefined {
    const timestamp = Date.now()
    const delta = TOTP.validate({ token: code, secret: Secret.fromBase32(secret), window, timestamp })
    return delta === null ? undefined : TOTP.counter({ timestamp }) + delta
  }

  /** Encrypts the secret of an account: a nonce, the encrypted secret and the tag. */
  seal(userId: string, secret: string): Uint8Array<ArrayBuffer> {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(userId))
    const sealed = [cipher.update(secret, 'latin1'), cipher.final()]
    return Uint8Array.from(Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]))
  }

  /** Decrypts the secret of an account. Undefined if it is that of another account, or was encrypted with another key. */
  open(userId: string, sealed: Uint8Array): string | undefined {
    const bytes = Buffer.from(sealed)
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(userId)).setAuthTag(bytes.subarray(-tagBytes))
    const secret = decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'latin1')
    try {
      return secret + decipher.final('latin1')
    } catch {
      return undefined
    }
  }
}
