import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import { z } from 'zod'
import type { Client } from '../../../engine/data/client.ts'
import { Prisma } from '../../../engine/data/generated/prisma/client.ts'
import { refreshRepeats } from '../authorizations.ts'
import { inBrowser } from './browser.ts'

/** How a device code that was found by its user code is named, since its id is not stored: `#` and its hash in hexadecimal. */
const handle = /^#([0-9a-f]{64})$/

/** The SHA-256 of a text, for a column. */
const digest = (text: string) => Uint8Array.from(createHash('sha256').update(text).digest())

/**
 * The hash that a record is stored under. A handle counts only where `isTrusted`, since whoever reads the table knows it. A step is
 * found by the browser alone that has begun it.
 */
export function hashOf(kind: string, id: string, isTrusted = false): Uint8Array<ArrayBuffer> {
  const [, hex] = (isTrusted && handle.exec(id)) || []
  if (hex !== undefined) return Uint8Array.from(Buffer.from(hex, 'hex'))
  return digest(`${kind}:${kind === 'Interaction' ? inBrowser(id) : id}`)
}

/** The hash of what else finds a record. */
export const lookupOf = (kind: string, value: string): Uint8Array<ArrayBuffer> => digest(`${kind}.lookup:${value}`)

/** The handle of a device code. */
const handleOf = (hash: Uint8Array): string => `#${Buffer.from(hash).toString('hex')}`

/** How long after its use a code is refused without ending the authorization, since a client may send it twice, in milliseconds. */
const doubled = 1_000

/** How many seconds pass between two polls of a device (RFC 8628, section 3.5), with some tolerance. */
const pollInterval = 5
const tolerance = 1

type Row = {
  readonly hash: Uint8Array
  readonly payload: unknown
  readonly consumed_ms: number | null
  /** How long ago a device code was polled before; null for the first time. */
  readonly polled_ms?: number | null
}

const payloadSchema = z.record(z.string(), z.unknown())

/** The account that a record belongs to, once somebody has signed in. */
function ownerOf({ accountId, session, result }: AdapterPayload): string | null {
  const login = z.object({ login: z.object({ accountId: z.string() }) }).safeParse(result).data?.login
  return accountId ?? login?.accountId ?? session?.accountId ?? null
}

const route = () => Provider.ctx?.oidc.route

/** Whether a record of this kind can be named by its handle: never by an id that a request has. */
const isInside = (kind: string) => kind === 'DeviceCode' && route() !== 'token'

/**
 * The condition on the record by which somebody is signed in in the present request: a session, a step, or a code or token that is
 * exchanged.
 */
function basisOf(): Prisma.Sql | undefined {
  const { session, entities } = Provider.ctx?.oidc ?? {}
  if (session?.accountId && 'stored' in session) return Prisma.sql`lookup = ${lookupOf('Session', session.uid)}`
  const { Interaction, RotatedRefreshToken, RefreshToken, AuthorizationCode, DeviceCode } = entities ?? {}
  if (Interaction) return Prisma.sql`hash = ${hashOf('Interaction', Interaction.jti)}`
  const exchanged = RotatedRefreshToken ?? AuthorizationCode ?? DeviceCode ?? RefreshToken
  return route() === 'token' && exchanged ? Prisma.sql`hash = ${hashOf(exchanged.kind, exchanged.jti)}` : undefined
}

/**
 * Throws if the record by which somebody is signed in was deleted while the request ran, such as by a new password. The account is
 * locked.
 */
export async function requireBasis(transaction: Client): Promise<void> {
  const basis = basisOf()
  const found = basis && (await transaction.$queryRaw<unknown[]>`select from oauth_records where ${basis}`)
  if (found?.length === 0) throw new errors.InvalidGrant('the authorization has ended')
}

/** Keeps what the authorization server stores besides authorizations and access tokens, without any secret in it. */
export class Records implements Adapter {
  readonly #kind: string
  readonly #database: Client

  constructor(kind: string, database: Client) {
    this.#kind = kind
    this.#database = database
  }

  /**
   * Stores a new record, or what has changed in one that was found. Throws if that was deleted meanwhile, or what allowed it. The
   * successor of a refresh token is always the same, so it may be there already.
   */
  async upsert(
    id: string,
    { jti: _, stored: known, state: __, ...payload }: AdapterPayload,
    expiresIn = 0,
  ): Promise<void> {
    const kind = this.#kind
    // A code begins an authorization.
    if ((kind === 'AuthorizationCode' || kind === 'DeviceCode') && payload.grantId)
      await Provider.ctx?.oidc.entities.Grant?.save()
    const userId = ownerOf(payload)
    const { uid, userCode, returnTo, session } = payload
    const found = userCode ?? uid
    const lookup = found === undefined ? null : lookupOf(kind, found)
    // The id of a step is its cookie, and the end of the URL that follows it.
    const text = JSON.stringify({
      ...payload,
      userCode: undefined,
      returnTo: returnTo?.slice(0, -id.length),
      session: session && { ...session, cookie: undefined },
    })
    // A session and a step only mention a grant.
    const grantId = kind === 'Session' || kind === 'Interaction' ? null : (payload.grantId ?? null)
    const hash = hashOf(kind, id, isInside(kind))
    const basis = userId === null || (kind === 'Session' && known !== undefined) ? undefined : basisOf()
    const isAllowed = Prisma.sql`(${grantId}::uuid is null or exists (select from live)) and
      (${basis === undefined} or exists (select from basis))`
    const expiresAt = Prisma.sql`now() + make_interval(secs => ${expiresIn}::float8)`
    const written = await this.#database.$executeRaw`
      with basis as materialized (select from oauth_records where ${basis ?? Prisma.sql`false`} for key share),
        live as materialized (select from oauth_grants where id = ${grantId}::uuid for key share)
      ${
        typeof known === 'string'
          ? Prisma.sql`
      update oauth_records set hash = ${hash}::bytea, payload = ${text}::jsonb, lookup = coalesce(${lookup}::bytea, lookup),
        grant_id = ${grantId}::uuid,
        user_id = ${userId}::uuid, expires_at = ${expiresAt}
      where hash = ${hashOf(kind, known, isInside(kind))}::bytea and consumed_at is null and ${isAllowed}`
          : Prisma.sql`
      insert into oauth_records (hash, kind, payload, lookup, grant_id, user_id, expires_at)
      select ${hash}::bytea, ${kind}, ${text}::jsonb, ${lookup}::bytea, ${grantId}::uuid, ${userId}::uuid, ${expiresAt}
      where ${isAllowed} on conflict (hash) do update set hash = excluded.hash`
      }`
    if (written > 0) return
    if (kind === 'Session' || kind === 'Interaction') throw new errors.SessionNotFound('it has ended')
    throw new errors.InvalidGrant('the authorization has ended')
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    // Only the page after a step names a device code by what it has read itself.
    const hash = hashOf(this.#kind, id, this.#kind === 'DeviceCode' && route() === 'device_resume')
    const [row] = await (this.#kind === 'DeviceCode' && route() === 'token'
      ? this.#poll(hash)
      : this.#read(Prisma.sql`hash = ${hash}`))
    if (row?.polled_ms != null && row.polled_ms < (pollInterval - tolerance) * 1_000) throw new errors.SlowDown()
    if (this.#kind === 'Interaction' && row?.consumed_ms != null) return undefined
    return row && this.#found(id, row)
  }

  /** Finds a session that a step mentions, to read it only. */
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const row = await this.#findBy(uid)
    return row && this.#found('', row)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const row = await this.#findBy(userCode)
    return row && { ...this.#found(handleOf(row.hash), row), userCode }
  }

  async consume(id: string): Promise<void> {
    const again = this.#kind === 'RefreshToken' ? refreshRepeats : 0
    const used = await this.#database.$executeRaw`
      update oauth_records set consumed_at = coalesce(consumed_at, now()) where hash = ${hashOf(this.#kind, id)}
        and (consumed_at is null or consumed_at > now() - make_interval(secs => ${again / 1_000}::float8))`
    if (used === 0) throw new errors.InvalidGrant('it was used at the same time')
  }

  async destroy(id: string): Promise<void> {
    const hash = hashOf(this.#kind, id)
    // What comes out of a step is stored after it, only if the step was not ended from elsewhere.
    await (this.#kind === 'Interaction'
      ? this.#database.$executeRaw`
        update oauth_records set consumed_at = now(), expires_at = least(expires_at, now() + interval '1 minute') where hash = ${hash}`
      : this.#database.$executeRaw`delete from oauth_records where hash = ${hash}`)
  }

  /** Nothing is left to do: what belongs to a grant is deleted with it. */
  async revokeByGrantId(): Promise<void> {}

  #read(found: Prisma.Sql): Promise<Row[]> {
    return this.#database.$queryRaw<Row[]>`
      select hash, payload, (extract(epoch from now() - consumed_at) * 1000)::float8 as consumed_ms
      from oauth_records where ${found} and expires_at > now()`
  }

  /** Reads a device code, and notes when it was polled. */
  #poll(hash: Uint8Array<ArrayBuffer>): Promise<Row[]> {
    return this.#database.$queryRaw<Row[]>`
      with before as materialized (
        select hash, (payload ->> 'polledAt')::float8 as at from oauth_records where hash = ${hash} and expires_at > now() for update)
      update oauth_records set payload = payload || jsonb_build_object('polledAt', extract(epoch from now()))
      from before where oauth_records.hash = before.hash
      returning oauth_records.hash, payload, (extract(epoch from now() - consumed_at) * 1000)::float8 as consumed_ms,
        (extract(epoch from now())::float8 - before.at) * 1000 as polled_ms`
  }

  async #findBy(value: string): Promise<Row | undefined> {
    const [row] = await this.#read(Prisma.sql`lookup = ${lookupOf(this.#kind, value)}`)
    return row
  }

  #found(jti: string, { payload, consumed_ms }: Row): AdapterPayload {
    const { polledAt: _, returnTo, ...stored } = payloadSchema.parse(payload)
    if (this.#kind === 'Client') return stored
    const allowed = this.#kind === 'RefreshToken' ? refreshRepeats : doubled
    const isOver = consumed_ms !== null && consumed_ms > allowed
    return {
      ...stored,
      jti,
      stored: jti,
      ...(typeof returnTo === 'string' && { returnTo: returnTo + jti }),
      ...(isOver && { consumed: true }),
    }
  }
}
