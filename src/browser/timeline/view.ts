import type { Item, Reposters } from '../documents.ts'
import { drawItem, drawReposters } from './item.ts'

type Nested = Item & { readonly replies?: { readonly nodes: readonly Nested[] } }
type PageInfo = { readonly hasNextPage: boolean; readonly endCursor: string | null }

/** What a view shows at first, or next. `next` is the cursor to continue from, if there is more, and `empty` why there is nothing. */
type Shown = {
  readonly head: readonly Node[]
  readonly items: readonly Node[]
  readonly next: string | null
  readonly empty?: string
}

/** Shows what is new in a view, until the function that it returns is called. */
type Follow = () => () => void

/** One of the views: the query behind it, and how its data is drawn. */
export type View = {
  readonly title: string
  readonly query: string
  /** The text of an empty view. */
  readonly empty: string
  /** Whether it leaves out accounts that the reader mutes. */
  readonly isTimeline?: boolean
  readonly variables: Readonly<Record<string, string>>
  /** The REST operation that comes closest. */
  readonly rest: { readonly operation: string; readonly path: string }
  load(after: string | null): Promise<Shown & { readonly follow?: Follow | undefined }>
}

/** The cursor after a page, if there is more. */
export const nextAfter = ({ hasNextPage, endCursor }: PageInfo) => (hasNextPage ? endCursor : null)

const drawNested = (item: Nested, above: Node | string = ''): HTMLElement =>
  drawItem(item, { replies: item.replies?.nodes.map((reply) => drawNested(reply)) ?? [], above })

type Page<Node> = { readonly nodes: readonly Node[]; readonly pageInfo: PageInfo }

/** Draws a page of posts. */
export function drawPage({ nodes, pageInfo }: Page<Nested>, ...head: readonly Node[]): Shown {
  return { head, items: nodes.map((item) => drawNested(item)), next: nextAfter(pageInfo) }
}

type TimelineItem = Reposters & { readonly publication: Nested }

/** Draws a page of posts and reposts. A later page leaves out what is in the list, where a later repost of it is. */
export function drawTimeline(
  { nodes, pageInfo }: Page<TimelineItem>,
  isFirst: boolean,
  ...head: readonly Node[]
): Shown {
  const items = nodes
    .filter(({ publication }) => isFirst || !document.querySelector(`#list > article[id="${publication.uuid}"]`))
    .map(({ publication, ...who }) => drawNested(publication, drawReposters(who)))
  return { head, items, next: nextAfter(pageInfo) }
}
