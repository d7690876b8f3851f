/** How long an account counts as active after a request, in milliseconds. */
const activity = 1_000

/** The time of an account's last request. */
type Active = { readonly account: string; readonly time: number }

const never: Active = { account: '', time: Number.NEGATIVE_INFINITY }

/** Knows whether more than one account is active. */
export class Activity {
  /** The most recently active account, and the one before it. */
  #last: Active = never
  #before: Active = never

  /** Notes a request of an account. */
  note(account: string): void {
    if (this.#last.account !== account) this.#before = this.#last
    this.#last = { account, time: performance.now() }
  }

  /** Returns whether another account has been active recently. */
  hasOther(account: string): boolean {
    const other = this.#last.account === account ? this.#before : this.#last
    return performance.now() - other.time <= activity
  }
}
