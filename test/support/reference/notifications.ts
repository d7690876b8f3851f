import { cursorOf, keyIn, type PageArgs } from './pages.ts'
import type { Rows } from './rows.ts'

type Event = Rows['events'][number]

/** A notification as the reference makes it of its events, newest first. */
export type Told = Event & { readonly events: readonly Event[]; readonly unread: boolean }

/** The notifications that events make, which are sorted from the newest. */
export function toldBy(events: readonly Event[], upTo = ''): Told[] {
  const groups = new Map<string, Event[]>()
  for (const event of events) {
    const { id, kind, subjectId } = event
    const key = kind === 'LIKE' || kind === 'FOLLOW' ? `${kind} ${subjectId} ${id > upTo}` : id
    groups.set(key, [...(groups.get(key) ?? []), event])
  }
  return [...groups.values()].flatMap((of) =>
    of.slice(0, 1).map((latest) => ({ ...latest, events: of, unread: latest.id > upTo })),
  )
}

/** A page of the notifications that events make of which the viewer sees some. */
export function pageOfTold(
  all: readonly Event[],
  isSeen: (event: Event) => boolean,
  { first, after }: PageArgs,
  upTo?: string,
) {
  const size = first ?? 20
  const reach = Math.max(size, 1) * 10
  const walked = all.filter(({ id }) => after == null || id < keyIn(after)).slice(0, reach)
  const seen = walked.filter(isSeen)
  const next = toldBy(seen, upTo)[size]
  const page = toldBy(
    seen.filter(({ id }) => !next || id > next.id),
    upTo,
  )
  const [cut] = walked.slice(reach - 1)
  const last = page.flatMap(({ events }) => events.map(({ id }) => id)).sort()[0]
  const end = (page.length < size && cut?.id) || last
  return {
    edges: page.map((node) => ({ cursor: cursorOf(node.id), node })),
    totalCount: null,
    pageInfo: {
      hasNextPage: next !== undefined || cut !== undefined,
      hasPreviousPage: after != null,
      startCursor: page[0] ? cursorOf(page[0].id) : null,
      endCursor: end ? cursorOf(end) : null,
    },
  }
}
