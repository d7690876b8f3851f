import { setTimeout as sleep } from 'node:timers/promises'
import { decodeCursor } from '../../src/engine/compiler/page-range.ts'
import { eventsOf, subscribe } from '../support/graphql/events.ts'
import type { Recorded } from './history.ts'
import { countCode, type Target } from './load.ts'
import { followed } from './network.ts'

/** A filter, and whether it selects a change. */
type Interest = { readonly of: object; readonly selects: (change: Recorded) => boolean }

/** A client that goes on after the last event that it has seen whenever its stream breaks. */
export type Subscriber = Interest & {
  /** What it has seen, in order. */
  readonly seen: string[]
  /** How many of its streams broke. */
  cuts: number
}

const isAbout = (kinds: string) => (change: Recorded) => kinds.split(' ').includes(change.kind)
const isPublication = isAbout('PUBLISHED EDITED DELETED')
const isFollow = isAbout('FOLLOWED UNFOLLOWED')

/** Filters of readers, who write nothing themselves. */
function interestsIn({ users, publications }: Target): Interest[] {
  const authors = users.slice(0, followed)
  const isBy = (change: Recorded) => isPublication(change) && authors.includes(change.actor)
  return [
    { of: { public: true }, selects: (it) => isPublication(it) && it.parent === null },
    { of: { home: true }, selects: isBy },
    {
      of: { users: authors },
      selects: (it) => isBy(it) || (isFollow(it) && authors.some((id) => id === it.actor || id === it.object)),
    },
    { of: { publications }, selects: ({ object }) => publications.includes(object) },
    {
      of: { threads: publications },
      selects: ({ object, parent }) => [object, parent].some((id) => id !== null && publications.includes(id)),
    },
    { of: { repliesTo: publications }, selects: ({ parent }) => parent !== null && publications.includes(parent) },
  ]
}

const nameOf = (id: string, kind: string, uuid: string) => `${id} ${kind} ${uuid}`

/** What a subscriber should see of changes. */
export function expectedOf({ selects }: Subscriber, changes: readonly Recorded[]): string[] {
  return changes
    .filter((it) => it.kind.startsWith('ACCOUNT') || selects(it))
    .map(({ id, kind, object }) => nameOf(id.replaceAll('-', ''), kind, object))
}

/** Subscribes every reader to every filter, from a cursor on, until it is stopped. Errors are counted by their code. */
export function startSubscribers(
  target: Target,
  start: string,
  codes: Record<string, number>,
  stop: AbortSignal,
): { readonly subscribers: readonly Subscriber[]; readonly ended: Promise<unknown> } {
  const follow = async (subscriber: Subscriber, token: string, first: number) => {
    const { of, seen } = subscriber
    let last = start
    for (let attempt = first; !stop.aborted; attempt += 1) {
      const origins = target.origins()
      const origin = origins[attempt % origins.length] ?? ''
      try {
        const headers = { 'last-event-id': last }
        // One of its own, because each attempt leaves a listener.
        const signal = AbortSignal.any([stop])
        const response = await subscribe({ origin }, { token }, { variables: { of }, headers, signal })
        for await (const { id, data, errors = [] } of eventsOf(response)) {
          for (const { extensions } of errors) countCode(codes, extensions.code)
          if (!id || !data) continue
          const { kind, uuid } = data.changes
          seen.push(nameOf(decodeCursor(id) ?? '', kind, uuid))
          last = id
        }
      } catch (error) {
        // As fetch reports a connection that was refused or cut.
        if (!stop.aborted && !(error instanceof TypeError)) throw error
      }
      if (stop.aborted) return
      subscriber.cuts += 1
      await sleep(200)
    }
  }
  const started = target.readers.flatMap((token, nth) =>
    interestsIn(target).map((interest) => {
      const subscriber: Subscriber = { ...interest, seen: [], cuts: 0 }
      return { subscriber, ended: follow(subscriber, token, nth) }
    }),
  )
  return {
    subscribers: started.map(({ subscriber }) => subscriber),
    ended: Promise.all(started.map(({ ended }) => ended)),
  }
}
