import type { Item } from '../documents.ts'
import { drawItem } from './item.ts'

type Nested = Item & { readonly replies?: { readonly nodes: readonly Nested[] } }
type PageInfo = { readonly hasNextPage: boolean; readonly endCursor: string | null }

/** What a view shows at first, or next. `next` is the cursor to continue from, if there is more. */
type Shown = { readonly head: readonly Node[]; readonly items: readonly Node[]; readonly next: string | null }

/** Shows what is new in a view, until the function that it returns is called. */
type Follow = () => () => void

/** One of the views: the query behind it, and how its data is drawn. */
export type View = {
  readonly title: string
  readonly query: string
  /** What it says where there is nothing to show. */
  readonly empty: string
  /** Whether it leaves out whom the reader mutes. */
  readonly isTimeline?: boolean
  readonly variables: Readonly<Record<string, string>>
  /** The REST operation that comes closest. */
  readonly rest: { readonly operation: string; readonly path: string }
  load(after: string | null): Promise<Shown & { readonly follow?: Follow | undefined }>
}

/** The cursor after a page, if there is more. */
export const nextAfter = ({ hasNextPage, endCursor }: PageInfo) => (hasNextPage ? endCursor : null)

const drawNested = (item: Nested): HTMLElement => drawItem(item, item.replies?.nodes.map(drawNested))

/** Draws a page of posts. */
export function drawPage(
  { nodes, pageInfo }: { readonly nodes: readonly Nested[]; readonly pageInfo: PageInfo },
  ...head: readonly Node[]
): Shown {
  return { head, items: nodes.map(drawNested), next: nextAfter(pageInfo) }
}
