import { Activity } from '../../data/activity.ts'
import { type AcceptedConnections, ConnectionsFirst } from './connections-first.ts'
import { type Owner, SharedLines } from './shared-lines.ts'
import type { WaitingLines } from './waiting-lines.ts'

/** How long one turn of the event loop may execute requests, in milliseconds. Each round trip to the database takes a turn or two. */
const budget = 4

/**
 * The minimum duration of a long step, in milliseconds. After one, its account rests for as long as it took, if others are active.
 * Otherwise a few requests with long steps could keep the event loop busy all the time, and delay what others wait for outside of it.
 */
const long = 2

/** The longest rest after a step, in milliseconds. */
const longestRest = 25

type Resume = () => void

/**
 * Spreads the execution of requests over turns of the event loop. Otherwise requests that arrive together would execute in the same turn
 * and delay everything else, such as a health check. The accounts that wait take turns too, and so do the addresses without a token.
 */
export class LoopTurns {
  readonly #waiting = new SharedLines<Resume>()
  readonly #activity = new Activity()
  readonly #connectionsFirst: ConnectionsFirst
  /** When this turn began to execute requests. Undefined before that. */
  #begun: number | undefined
  /** Whether a turn that began while I/O was handled has executed anything. */
  #isWorking = false

  constructor(accepted: AcceptedConnections) {
    this.#connectionsFirst = new ConnectionsFirst(accepted)
  }

  /**
   * Waits to begin a request: returns undefined if this turn has time, or else a promise that resolves in a later turn. The requests of one
   * owner begin in the order of their calls.
   */
  begin(owner: Owner): Promise<void> | undefined {
    return this.#wait(owner, false)
  }

  /**
   * Waits in the same way between the steps of a request. Requests that have begun go first, because each may hold a parsed document or a
   * result, and so does giving up a request.
   */
  next(owner: Owner): Promise<void> | undefined {
    return this.#wait(owner, true)
  }

  #wait(owner: Owner, goesFirst: boolean): Promise<void> | undefined {
    this.#activity.note(owner.account)
    const isFirst = this.#begun === undefined
    if (isFirst) setImmediate(() => this.#end())
    this.#begun ??= performance.now()
    const mustWait = isFirst ? this.#connectionsFirst.mustWait : !this.#waiting.isEmpty || this.#isOver(this.#begun)
    const half = this.#waiting.halfOf(owner)
    if (mustWait || half.isResting(owner.account)) {
      return new Promise((resolve) => half.add(owner.account, resolve, goesFirst))
    }
    this.#isWorking = true
    return undefined
  }

  #isOver(begun: number): boolean {
    return performance.now() - begun >= budget
  }

  /** Ends a turn that began while I/O was handled. What waits resumes after the I/O of the next iteration of the event loop. */
  #end(): void {
    this.#connectionsFirst.endIteration()
    if (this.#isWorking) this.#connectionsFirst.noteWork()
    this.#isWorking = false
    this.#continue()
  }

  /** Schedules the next turn if something waits for it. */
  #continue(): void {
    if (this.#waiting.isEmpty) this.#begun = undefined
    else setImmediate(() => void this.#turn())
  }

  async #turn(): Promise<void> {
    const mustWait = this.#connectionsFirst.endIteration()
    this.#continue()
    if (mustWait || this.#waiting.isEmpty) return
    const begun = performance.now()
    this.#begun = begun
    do await this.#runNext()
    while (!this.#waiting.isEmpty && !this.#isOver(begun))
    this.#connectionsFirst.noteWork()
  }

  async #runNext(): Promise<void> {
    const taken = this.#waiting.take()
    if (!taken) return
    const { owner, item: resume, half } = taken
    const begun = performance.now()
    resume()
    // Ticks precede microtasks here, so this lets all microtasks of the resumed request run first.
    await new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)))
    const time = performance.now() - begun
    this.#waiting.charge(taken, time)
    if (time > long && this.#activity.hasOther(owner)) this.#rest(half, owner, Math.min(time, longestRest))
  }

  #rest(half: WaitingLines<Resume>, owner: string, time: number): void {
    half.rest(owner)
    setTimeout(() => {
      half.wake(owner)
      if (this.#begun !== undefined || this.#waiting.isEmpty) return
      this.#begun = performance.now()
      this.#continue()
    }, time)
  }
}
