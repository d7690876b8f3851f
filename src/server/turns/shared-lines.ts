import { type Taken, WaitingLines } from './waiting-lines.ts'

/** Who waits: an account, or without a token an address. */
export type Owner = { readonly account: string; readonly hasToken: boolean }

/** The maximum difference between the times that the halves have used, in milliseconds. It limits how long one half catches up. */
const maxLead = 20

/** What was taken, and the half that it was taken from. */
type TakenFromHalf<T> = Taken<T> & { readonly half: WaitingLines<T> }

/**
 * Waiting lines in two halves: those of accounts, and those of addresses that send requests without a token. When both wait, each half
 * gets half of the time, because one client can have thousands of addresses.
 */
export class SharedLines<T> {
  readonly #accounts = new WaitingLines<T>()
  readonly #addresses = new WaitingLines<T>()
  /** How much more time accounts have used than addresses, in milliseconds. */
  #lead = 0

  /** Whether nothing is waiting, except for owners who rest. */
  get isEmpty(): boolean {
    return this.#accounts.isEmpty && this.#addresses.isEmpty
  }

  /** The half of an owner. */
  halfOf({ hasToken }: Owner): WaitingLines<T> {
    return hasToken ? this.#accounts : this.#addresses
  }

  /** Removes the item whose turn it is. Returns undefined if nothing waits. */
  take(): TakenFromHalf<T> | undefined {
    const accountsMustWait = this.#lead > 0 && !this.#addresses.isEmpty
    const half = accountsMustWait || this.#accounts.isEmpty ? this.#addresses : this.#accounts
    const taken = half.take()
    return taken && { ...taken, half }
  }

  /** Charges the owner of what was taken, and its half, for the time that it took, in milliseconds. */
  charge({ owner, half }: TakenFromHalf<T>, time: number): void {
    half.charge(owner, time)
    const lead = this.#lead + (half === this.#accounts ? time : -time)
    this.#lead = Math.max(-maxLead, Math.min(maxLead, lead))
  }
}
