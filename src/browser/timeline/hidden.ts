import { type newNotifications, visible } from '../documents.ts'
import { type DataOf, run } from '../graphql.ts'
import { readViewer } from '../viewer.ts'
import { drawGone } from './item.ts'

type Change = DataOf<typeof newNotifications>['changes']

/** The most posts that one query looks up. */
const mostLookups = 100
const hiding: ReadonlySet<Change['kind']> = new Set(['UNFOLLOWED', 'RESTRICTED', 'BLOCKED', 'ACCOUNT_HIDDEN'])

/** Removes the posts that a change has hidden from the reader. Only the server knows which ones they still see. */
export async function removeHidden({ kind, actorUuid, uuid }: Change): Promise<void> {
  if (!hiding.has(kind)) return
  const viewer = await readViewer()
  const isOfViewer = actorUuid === viewer?.uuid || uuid === viewer?.uuid
  if (!isOfViewer && !document.querySelector(`[data-author="${uuid}"]`)) return
  const posts = [...document.querySelectorAll<HTMLElement>('article[data-author]')]
  for (let at = 0; at < posts.length; at += mostLookups) {
    const uuids = posts.slice(at, at + mostLookups).map(({ id }) => id)
    const { publications } = await run(visible, { uuids })
    const seen = new Set(publications.map((publication) => publication?.uuid))
    // Replies first, so that their parent knows whether any is left.
    for (const id of uuids.filter((id) => !seen.has(id)).reverse()) remove(document.getElementById(id))
  }
}

function remove(post: HTMLElement | null): void {
  const below = post?.querySelector<HTMLDivElement>(':scope > .replies')
  if (below?.hasChildNodes()) post?.replaceWith(drawGone(post.id, 'Hidden', below))
  else post?.remove()
}
