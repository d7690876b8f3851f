import { relations } from '../../../src/features/base/relations.ts'
import { type PageArgs, pageOfGroups } from './pages.ts'
import type { Rows } from './rows.ts'

type Event = Rows['events'][number]

/** A notification as the reference makes it of its events, newest first. */
export type Told = Event & { readonly events: readonly Event[]; readonly unread: boolean }

/** The notifications that events make, which are sorted from the newest. */
export function toldBy(events: readonly Event[], upTo = ''): Told[] {
  const groups = new Map<string, Event[]>()
  for (const event of events) {
    const { id, kind, subjectId } = event
    const isGrouped = relations.some(({ notification }) => notification?.kind === kind)
    const key = isGrouped ? `${kind} ${subjectId} ${id > upTo}` : id
    groups.set(key, [...(groups.get(key) ?? []), event])
  }
  return [...groups.values()].flatMap((of) =>
    of.slice(0, 1).map((latest) => ({ ...latest, events: of, unread: latest.id > upTo })),
  )
}

/** A page of the notifications that events make of which the viewer sees some. */
export function pageOfTold(all: readonly Event[], isSeen: (event: Event) => boolean, args: PageArgs, upTo?: string) {
  const reach = Math.max(args.first ?? 20, 1) * 10
  return pageOfGroups(all, isSeen, (seen) => toldBy(seen, upTo), reach, args)
}
