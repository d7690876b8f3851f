import { Bookmark, Heart, type IconNode, Repeat2 } from 'lucide'
import { type Item, setBookmark, setLike, setRepost } from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawIconButton, nameControl } from './controls.ts'

// All state what they want instead of inverting what is there, so that a second click does no harm.

type Counted = { readonly count: number; readonly isSet: boolean }

function drawCounter(
  name: string,
  icon: IconNode,
  start: Counted,
  set: (isSet: boolean) => Promise<Counted>,
): HTMLButtonElement {
  const button = drawIconButton(icon, '')
  const number = element('span', { className: 'count' })
  button.classList.add(name.toLowerCase())
  button.append(number)
  const show = ({ count, isSet }: Counted) => {
    number.textContent = count === 0 ? '' : String(count)
    nameControl(button, `${name}, ${count} so far`)
    button.ariaPressed = String(isSet)
  }
  button.onclick = () => attempt(button, async () => show(await set(button.ariaPressed !== 'true')))
  show(start)
  return button
}

const likesOf = ({ likeCount, viewerHasLiked }: Pick<Item, 'likeCount' | 'viewerHasLiked'>): Counted => ({
  count: likeCount,
  isSet: viewerHasLiked,
})

/** Draws the heart of a post, with the number of likes. */
export const drawLike = ({ uuid, ...start }: Item) =>
  drawCounter('Like', Heart, likesOf(start), async (liked) =>
    likesOf((await run(setLike, { input: { uuid, liked } })).setLike.publication),
  )

const repostsOf = ({ repostCount, viewerHasReposted }: Pick<Item, 'repostCount' | 'viewerHasReposted'>): Counted => ({
  count: repostCount,
  isSet: viewerHasReposted,
})

/** Draws the button that reposts a post, with the number of reposts. */
export const drawRepost = ({ uuid, ...start }: Item) =>
  drawCounter('Repost', Repeat2, repostsOf(start), async (reposted) =>
    repostsOf((await run(setRepost, { input: { uuid, reposted } })).setRepost.publication),
  )

/** Draws the button that bookmarks a post, or removes the bookmark. */
export function drawBookmark({ uuid, viewerHasBookmarked }: Item): HTMLButtonElement {
  const button = drawIconButton(Bookmark, 'Bookmark')
  button.ariaPressed = String(viewerHasBookmarked)
  button.onclick = () =>
    attempt(button, async () => {
      const bookmarked = button.ariaPressed !== 'true'
      const { setBookmark: done } = await run(setBookmark, { input: { uuid, bookmarked } })
      button.ariaPressed = String(done.publication.viewerHasBookmarked)
    })
  return button
}
