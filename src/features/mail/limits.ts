import type { Limiter, Limiters } from '../../engine/data/limiters.ts'
import { day } from '../../engine/day.ts'
import { tooOften } from '../../engine/errors.ts'
import type { MailPayload } from './jobs.ts'

/** How many e-mails an account requests in a day, and a client address in an hour. */
export const mailRequests = { account: 20, client: 60 } as const

/**
 * How many e-mails on a topic an account gets in a day at once, and in how many seconds one more after those. The same counts for
 * all accounts together that did not verify the address. And how many e-mails a domain gets in a day to confirm addresses.
 */
export const mailsSent = { atOnce: 10, thenEvery: 1_800, domain: 5_000 } as const

/** The longest wait for a place, in seconds. */
const longestWait = 3_600

const daySeconds = day / 1_000

/** That an e-mail may be sent now, or has to wait for some seconds. What was counted can be taken back. */
type Turn = { readonly wait: number; readonly takeBack: () => Promise<void> }

/**
 * Counts e-mails, so that nobody is flooded. None is dropped: one too many waits, so that a stranger can delay what an owner needs,
 * not prevent it.
 */
export class MailLimits {
  readonly #requests: Readonly<Record<keyof typeof mailRequests, Limiter>>
  readonly #atOnce: Limiter
  readonly #later: Limiter
  readonly #domain: Limiter

  constructor(limiters: Limiters) {
    const of = (name: string, points: number, seconds: number) =>
      limiters.create({ name: `mail ${name}`, points, seconds })
    this.#requests = {
      account: of('requests by account', mailRequests.account, daySeconds),
      client: of('requests by client', mailRequests.client, longestWait),
    }
    this.#atOnce = of('at once', mailsSent.atOnce, daySeconds)
    this.#later = of('later', 1, mailsSent.thenEvery)
    this.#domain = of('by domain', mailsSent.domain, daySeconds)
  }

  /** Counts an e-mail that an account or a client asks for. Throws `RATE_LIMITED`. */
  async countRequest(by: keyof typeof mailRequests, who: string): Promise<void> {
    const { isRefused, resetsIn } = await this.#requests[by].add(who, 1)
    if (isRefused) throw tooOften('Too many e-mails.', resetsIn)
  }

  /** Counts an e-mail that is about to be sent, unless it has to wait. */
  async take({ topic, userId, to, domain, isVerified }: MailPayload): Promise<Turn> {
    const both = [this.#atOnce, this.#later]
    const isAsked = topic === 'verification' || topic === 'new-address'
    const counted: (() => Promise<void>)[] = []
    const takeBack = async () => {
      for (const undo of counted) await undo()
    }
    for (const [key, limiters] of [
      [`${topic} ${userId}`, both],
      ...(isVerified ? [] : ([[`${topic} ${to}`, both]] as const)),
      ...(isAsked ? ([[domain, [this.#domain]]] as const) : []),
    ] as const) {
      let wait = 0
      for (const limiter of limiters) {
        const { isRefused, resetsIn } = await limiter.add(key, 1)
        wait = isRefused ? resetsIn / 1_000 : 0
        if (isRefused) continue
        counted.push(async () => void (await limiter.add(key, -1)))
        break
      }
      if (wait === 0) continue
      await takeBack()
      return { wait: Math.min(wait, longestWait), takeBack: async () => undefined }
    }
    return { wait: 0, takeBack }
  }
}
