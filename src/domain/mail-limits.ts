import type { Limiter, Limiters } from '../data/limiters/limiter.ts'
import { day } from '../day.ts'
import { tooOften } from '../errors.ts'

/**
 * How many e-mails there are in a day: those that one account or one client address asks for, those about the same that one mailbox gets, and
 * those that one domain gets.
 */
export const mailsPerDay = { account: 20, client: 50, mailbox: 10, domain: 5_000 } as const

/** Counts e-mails, so that nobody is flooded. */
export class MailLimits {
  readonly #limiters: Readonly<Record<keyof typeof mailsPerDay, Limiter>>

  constructor(limiters: Limiters) {
    const of = (name: keyof typeof mailsPerDay) =>
      limiters.create({ name: `mails by ${name}`, points: mailsPerDay[name], seconds: day / 1_000 })
    this.#limiters = { account: of('account'), client: of('client'), mailbox: of('mailbox'), domain: of('domain') }
  }

  /** Counts an e-mail that an account or a client asks for. Throws `RATE_LIMITED`. */
  async countRequest(by: 'account' | 'client', who: string): Promise<void> {
    const { isRefused, resetsIn } = await this.#limiters[by].add(who, 1)
    if (isRefused) throw tooOften('Too many e-mails.', resetsIn)
  }

  /** Counts an e-mail on a topic that is about to be sent. Returns what would get too many, if anything. */
  async count(about: string, to: string): Promise<'mailbox' | 'domain' | undefined> {
    const { mailbox, domain } = this.#limiters
    const keys = keysOf(about, to)
    if ((await mailbox.add(keys.mailbox, 1)).isRefused) return 'mailbox'
    if (!(await domain.add(keys.domain, 1)).isRefused) return undefined
    await mailbox.add(keys.mailbox, -1)
    return 'domain'
  }

  /** Stops counting an e-mail that was not sent. */
  async uncount(about: string, to: string): Promise<void> {
    const keys = keysOf(about, to)
    await this.#limiters.mailbox.add(keys.mailbox, -1)
    await this.#limiters.domain.add(keys.domain, -1)
  }
}

function keysOf(about: string, to: string) {
  const address = to.toLowerCase()
  return { mailbox: `${about} ${address}`, domain: address.replace(/^.*@/, '') }
}
