import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Limiter, Limiters } from '../../engine/data/limiters.ts'
import { isUndone } from '../../engine/data/write-outcome.ts'
import { invalid, Refusal, tooOften } from '../../engine/errors.ts'
import type { RequestContext } from '../../engine/execution/request-context.ts'
import { accountLimits, type LimitName, limitNames, type MostByLimit, newAccounts } from './declarations.ts'

/** What was counted before a write, or why it may do nothing new. */
type Taken = { readonly refusal: Refusal | undefined; readonly refund: () => Promise<void> }

const nothing: Taken = { refusal: undefined, refund: async () => undefined }

/** The limits of one account. */
export type LimitsOfAccount = {
  /** Counts what a write is about to do. If that is too much, nothing is counted. */
  readonly take: (name: LimitName, units: number) => Promise<Taken>
  /** How much the account has used of each limit that is switched on. */
  readonly read: () => Promise<readonly UsedLimit[]>
}

/** A limit of an account, and how much of it is used until when; `resetsAt` is null if nothing is. */
export type UsedLimit = {
  readonly name: LimitName
  readonly used: number
  readonly limit: number
  readonly resetsAt: Date | null
}

/** How much each account may do in so many seconds. */
export type LimitOfServer = {
  readonly name: LimitName
  readonly limit: number
  readonly newAccountLimit: number
  readonly seconds: number
}

/** The limits of the viewer of a request; undefined where nothing is limited. */
export const limitsFor = ({ services, viewer }: RequestContext) => services.accountLimits?.for(viewer)

type Account = Pick<Viewer, 'id' | 'joinedAt'>

declare module '../../engine/execution/request-context.ts' {
  interface Services {
    /** Limits what accounts do; undefined where nothing is limited by rate. */
    readonly accountLimits?: AccountLimits | undefined
  }
}

/** Counts what accounts do, so that none does more than people can. */
export class AccountLimits {
  readonly #most: MostByLimit
  readonly #limiters: ReadonlyMap<LimitName, Limiter>

  constructor(most: MostByLimit, limiters: Limiters) {
    this.#most = most
    this.#limiters = new Map(
      limitNames.map((name) => {
        const { seconds } = accountLimits[name]
        return [name, limiters.create({ name: `limit of ${name}`, points: Number.MAX_SAFE_INTEGER, seconds })]
      }),
    )
  }

  /** The limits of one account. */
  for(account: Account): LimitsOfAccount {
    return { take: (name, units) => this.#take(account, name, units), read: () => this.#read(account) }
  }

  /** The limits of all accounts, without those that are switched off. */
  list(): readonly LimitOfServer[] {
    return limitNames.flatMap((name) => {
      const limit = this.#most[name]
      const { seconds } = accountLimits[name]
      return limit === undefined ? [] : [{ name, limit, newAccountLimit: ofNew(limit), seconds }]
    })
  }

  async #read(account: Account): Promise<readonly UsedLimit[]> {
    const counts = await Promise.all(
      limitNames.map(async (name) => {
        const limit = this.#mostOf(account, name)
        const count = limit !== undefined && (await this.#limiters.get(name)?.add(account.id, 0))
        if (!count) return []
        const { used, resetsIn } = count
        return [{ name, used, limit, resetsAt: used > 0 ? after(resetsIn) : null }]
      }),
    )
    return counts.flat()
  }

  async #take(account: Account, name: LimitName, units: number): Promise<Taken> {
    const most = this.#mostOf(account, name)
    const limiter = this.#limiters.get(name)
    if (most === undefined || !limiter) return nothing
    const { isRefused, used, resetsIn } = await limiter.add(account.id, units, { limit: most })
    if (isRefused) {
      // Once an account is no longer new, it may do more within the same window.
      const older = newFor(account)
      const wait = older > 0 && (units > most || older < resetsIn) ? older : resetsIn
      const resetsAt = used > 0 ? after(resetsIn) : undefined
      return { ...nothing, refusal: this.#tooManyMentions(name, units) ?? tooMany(name, most, wait, resetsAt) }
    }
    return { refusal: undefined, refund: async () => void (await limiter.add(account.id, -units)) }
  }

  /** The refusal of a text with more mentions than any account may ever send at once. */
  #tooManyMentions(name: LimitName, count: number): Refusal | undefined {
    const most = this.#most.mentions
    if (name !== 'mentions' || most === undefined || count <= most) return undefined
    const hours = accountLimits.mentions.seconds / 3_600
    const message = `mentions ${count} accounts that do not follow you; at most ${most} are allowed in ${hours} hours`
    return invalid({ field: 'content', message })
  }

  #mostOf(account: Account, name: LimitName): number | undefined {
    const most = this.#most[name]
    return most !== undefined && newFor(account) > 0 ? ofNew(most) : most
  }
}

/** For how many milliseconds an account is still new; not positive if it is not. */
const newFor = ({ joinedAt }: Account) => joinedAt.getTime() + newAccounts.age - Date.now()

/** How much a new account may do of what others may do so much of. */
const ofNew = (most: number) => Math.ceil(most / newAccounts.divisor)

/** The time after so many milliseconds, in whole seconds, so that clients nearly always get the same time. */
const after = (milliseconds: number) => new Date(Math.ceil((Date.now() + milliseconds) / 1_000) * 1_000)

function tooMany(name: LimitName, most: number, wait: number, resetsAt: Date | undefined): Refusal {
  const { seconds, what } = accountLimits[name]
  const message = `The limit of ${name} for your account is ${most} in ${seconds / 3_600} hours (${what}).`
  return tooOften(message, wait, { limit: name, ...(resetsAt && { resetsAt }) })
}

/**
 * Runs a write that counts towards limits. `write` gets the refusal of the first limit that is reached: it may repeat what was done before
 * then, but nothing new. What did nothing new, or was not done, is not counted.
 */
export async function withinLimits<T>(
  limits: LimitsOfAccount | undefined,
  units: Readonly<Partial<Record<LimitName, number>>>,
  write: (refusal: Refusal | undefined) => Promise<{ readonly value: T; readonly isNew: boolean }>,
): Promise<T> {
  if (!limits) return (await write(undefined)).value
  const taken: Taken[] = []
  for (const name of limitNames) {
    const count = units[name] ?? 0
    if (count > 0 && !taken.some(({ refusal }) => refusal)) taken.push(await limits.take(name, count))
  }
  const refund = async () => void (await Promise.all(taken.map((it) => it.refund())))
  try {
    const { value, isNew } = await write(taken.find(({ refusal }) => refusal)?.refusal)
    if (!isNew) await refund()
    return value
  } catch (error) {
    // It is unknown whether the write was done with any other error.
    if (error instanceof Refusal ? error.code !== 'OUTCOME_UNKNOWN' : isUndone(error)) await refund()
    throw error
  }
}
