import type { Limiter, Limiters } from '../data/limiters/limiter.ts'
import { Refusal } from '../errors.ts'

/** How many mails there are in a day: that one account causes, that are asked for from one address of a client, and that one mailbox, about the same, and one domain get. */
export const mailsPerDay = { account: 20, client: 50, mailbox: 10, domain: 5_000 } as const

const secondsPerDay = 86_400

/** Counts mails, so that nobody is flooded. */
export class MailLimits {
  readonly #limiters: Readonly<Record<keyof typeof mailsPerDay, Limiter>>

  constructor(limiters: Limiters) {
    const of = (name: keyof typeof mailsPerDay) =>
      limiters.create({ name: `mails by ${name}`, points: mailsPerDay[name], seconds: secondsPerDay })
    this.#limiters = { account: of('account'), client: of('client'), mailbox: of('mailbox'), domain: of('domain') }
  }

  /** Counts a mail that an account or a client asks for. Throws `RATE_LIMITED`. */
  async ask(by: 'account' | 'client', who: string): Promise<void> {
    const { isRefused, resetsIn } = await this.#limiters[by].add(who, 1)
    if (!isRefused) return
    const retryAfter = Math.max(Math.ceil(resetsIn / 1_000), 1)
    throw new Refusal('RATE_LIMITED', `That is too many mails. Try again in ${retryAfter} seconds.`, { retryAfter })
  }

  /** Counts a mail about something that is about to be sent. Returns what gets too many, if anything does. */
  async send(about: string, to: string): Promise<'mailbox' | 'domain' | undefined> {
    const address = to.toLowerCase()
    const domain = address.replace(/^.*@/, '')
    if ((await this.#limiters.mailbox.add(`${about} ${address}`, 1)).isRefused) return 'mailbox'
    if (!(await this.#limiters.domain.add(domain, 1)).isRefused) return undefined
    await this.#limiters.mailbox.add(`${about} ${address}`, -1)
    return 'domain'
  }

  /** Stops counting a mail that was not sent. */
  async takeBack(about: string, to: string): Promise<void> {
    const address = to.toLowerCase()
    await this.#limiters.mailbox.add(`${about} ${address}`, -1)
    await this.#limiters.domain.add(address.replace(/^.*@/, ''), -1)
  }
}
