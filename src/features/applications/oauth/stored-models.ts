import type { AdapterPayload, default as Provider } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { Provider as Library } from 'oidc-provider/lib/provider.js'
import { z } from 'zod'
import type { Client } from '../../../engine/data/client.ts'
import { formSecret } from './browser.ts'
import { hashOf, lookupOf, Records } from './records.ts'

const usedStep = z.object({ params: z.record(z.string(), z.unknown()).optional(), deviceCode: z.string().optional() })

type Session = InstanceType<Provider['Session']>
type Interaction = InstanceType<Provider['Interaction']>

/** What models have besides what the types of the library say. */
type Model = {
  readonly kind: string
  jti: string
  exp?: number
  /** The id under which it is stored now, if it is. */
  stored?: string
  touched?: boolean
  save(ttl: number): Promise<string>
  getValueAndPayload(): Promise<{ readonly payload: AdapterPayload }>
}

const modelOf = (model: Session | Interaction): Model => Object(model)

const now = () => Math.floor(Date.now() / 1_000)

/** Takes the cookie of the session out of the present response. */
function withoutSessionCookie(provider: Provider): void {
  const response = Library.ctx?.res
  const lines = [response?.getHeader('set-cookie') ?? []].flat().map(String)
  const name = provider.cookieName('session')
  response?.setHeader(
    'set-cookie',
    lines.filter((line) => !line.startsWith(`${name}=`)),
  )
}

/**
 * Lets models remember under which id they were found. The adapter updates these only, so that what was deleted meanwhile does not
 * come back. A session is stored while somebody is signed in, and a response has its cookie only if it was stored.
 */
export function rememberWhatIsStored(provider: Provider, lifetime: number): void {
  const { Session } = provider
  const Base: { prototype: Model; IN_PAYLOAD: readonly string[] } = Object.getPrototypeOf(Session)
  const { save } = Base.prototype
  const inPayload = [...Base.IN_PAYLOAD, 'stored']
  Object.defineProperty(Base, 'IN_PAYLOAD', { get: () => inPayload })
  Base.prototype.save = async function (ttl) {
    const value = await save.call(this, ttl)
    this.stored = this.jti
    return value
  }
  const { get } = Session
  Session.get = async (ctx) => Object.assign(await get.call(Session, ctx), { state: { secret: formSecret() } })
  Object.assign(Session.prototype, {
    resetIdentifier(this: Session) {
      Object.assign(this, { jti: new Session().jti, touched: true })
    },
    persist(this: Session) {
      return this.save(lifetime)
    },
    async save(this: Session, ttl: number) {
      try {
        if (!this.accountId) throw new errors.SessionNotFound('nobody is signed in')
        await Base.prototype.save.call(modelOf(this), ttl)
      } catch (error) {
        if (!(error instanceof errors.SessionNotFound)) throw error
        withoutSessionCookie(provider)
      }
      Object.assign(this, { touched: false })
      return this.jti
    },
  })
}

/** Stores a session or a step in a transaction, which has locked the account that signs in. */
export async function saveWithin(transaction: Client, model: Session | Interaction, seconds: number): Promise<void> {
  const known = modelOf(model)
  known.exp = now() + seconds
  const { payload } = await known.getValueAndPayload()
  await new Records(known.kind, transaction).upsert(known.jti, payload, seconds)
  known.stored = known.jti
}

/** Ends a session that a step mentions. */
export async function endSession(database: Client, uid: string): Promise<void> {
  await database.oauthRecord.deleteMany({ where: { lookup: lookupOf('Session', uid) } })
}

/** The parameters of a step that was used in the last minute, by an application and not a device. A second click finds it so. */
export async function findUsedStep(database: Client, uid: string): Promise<object | undefined> {
  const where = { hash: hashOf('Interaction', uid), consumedAt: { not: null }, expiresAt: { gt: new Date() } }
  const found = await database.oauthRecord.findFirst({ where, select: { payload: true } })
  const { params, deviceCode } = usedStep.parse(found?.payload ?? {})
  return deviceCode === undefined ? params : undefined
}
