import type { Adapter, AdapterPayload } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import { z } from 'zod'
import type { Client as Database } from '../data/client.ts'
import { Prisma } from '../data/generated/prisma/client.ts'
import { handleOf, hashOf, lookupOf } from './record-hash.ts'

/** How long after its first use a refresh token still gives its successor, in milliseconds: its holders may ask at once, or lose the answer. */
const repeatable = 10_000

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

/** Keeps what the authorization server stores besides authorizations and access tokens, without any secret in it. */
export class Records implements Adapter {
  readonly #kind: string
  readonly #database: Database

  constructor(kind: string, database: Database) {
    this.#kind = kind
    this.#database = database
  }

  async upsert(id: string, { jti: _, ...payload }: AdapterPayload, expiresIn = 0): Promise<void> {
    const kind = this.#kind
    const userId = ownerOf(payload)
    const { uid, userCode, returnTo, session } = payload
    const found = userCode ?? uid
    const lookup = found === undefined ? null : lookupOf(kind, found)
    // The id of a step is its cookie, and the end of the URL that follows it.
    const stored = {
      ...payload,
      userCode: undefined,
      returnTo: returnTo?.slice(0, -id.length),
      session: session && { ...session, cookie: undefined },
    }
    // A session and a step only mention a grant.
    const grantId = kind === 'Session' || kind === 'Interaction' ? null : (payload.grantId ?? null)
    // A session changes its id. If two requests change it at the same time, the later one counts. Of a refresh token, the first one counts.
    const conflict =
      kind === 'RefreshToken'
        ? Prisma.sql`(hash) do update set hash = excluded.hash`
        : Prisma.sql`(${kind === 'Session' ? Prisma.sql`lookup` : Prisma.sql`hash`}) do update set
            hash = excluded.hash, payload = excluded.payload, lookup = excluded.lookup,
            grant_id = excluded.grant_id, user_id = excluded.user_id, expires_at = excluded.expires_at`
    const written = await this.#database.$executeRaw`
      with live as materialized (select id from oauth_grants where id = ${grantId}::uuid for key share)
      insert into oauth_records (hash, kind, payload, lookup, grant_id, user_id, expires_at)
      select ${hashOf(kind, id, true)}::bytea, ${kind}, ${JSON.stringify(stored)}::jsonb, ${lookup}::bytea,
        ${grantId}::uuid, ${userId}::uuid, now() + make_interval(secs => ${expiresIn}::float8)
      where ${grantId}::uuid is null or exists (select from live)
      on conflict ${conflict}`
    if (written === 0) throw new errors.InvalidGrant('the authorization has ended')
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    // Only the page after a step names a record by what it has read itself.
    const hash = hashOf(this.#kind, id, route() === 'device_resume')
    const [row] = await (this.#kind === 'DeviceCode' && route() === 'token'
      ? this.#poll(hash)
      : this.#read(Prisma.sql`hash = ${hash}`))
    if (row?.polled_ms != null && row.polled_ms < (pollInterval - tolerance) * 1_000) throw new errors.SlowDown()
    return row && this.#found(id, row)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy(uid)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const found = await this.#findBy(userCode)
    return found && { ...found, userCode }
  }

  async consume(id: string): Promise<void> {
    const again = this.#kind === 'RefreshToken' ? repeatable : 0
    const used = await this.#database.$executeRaw`
      update oauth_records set consumed_at = coalesce(consumed_at, now()) where hash = ${hashOf(this.#kind, id, true)}
        and (consumed_at is null or consumed_at > now() - make_interval(secs => ${again / 1_000}::float8))`
    if (used === 0) throw new errors.InvalidGrant('it was used at the same time')
  }

  async destroy(id: string): Promise<void> {
    await this.#database.$executeRaw`delete from oauth_records where hash = ${hashOf(this.#kind, id, true)}`
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

  async #findBy(value: string): Promise<AdapterPayload | undefined> {
    const [row] = await this.#read(Prisma.sql`lookup = ${lookupOf(this.#kind, value)}`)
    return row && this.#found(handleOf(row.hash), row)
  }

  #found(jti: string, { payload, consumed_ms }: Row): AdapterPayload {
    const { polledAt: _, returnTo, ...stored } = payloadSchema.parse(payload)
    if (this.#kind === 'Client') return stored
    const allowed = this.#kind === 'RefreshToken' ? repeatable : doubled
    const isOver = consumed_ms !== null && consumed_ms > allowed
    return {
      ...stored,
      jti,
      ...(typeof returnTo === 'string' && { returnTo: returnTo + jti }),
      ...(isOver && { consumed: true }),
    }
  }
}
