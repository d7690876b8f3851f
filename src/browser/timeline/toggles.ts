import { Bookmark, Heart } from 'lucide'
import { type Item, setBookmark, setLike } from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawIconButton, nameControl } from './controls.ts'

// Both state what they want instead of inverting what is there, so that a second click does no harm.

/** Draws the heart of a post, with the number of likes. */
export function drawLike({ uuid, ...start }: Item): HTMLButtonElement {
  const button = drawIconButton(Heart, '')
  const count = element('span', { className: 'count' })
  button.classList.add('like')
  button.append(count)
  const show = ({ likeCount, viewerHasLiked }: Pick<Item, 'likeCount' | 'viewerHasLiked'>) => {
    count.textContent = likeCount === 0 ? '' : String(likeCount)
    nameControl(button, `Like, ${likeCount} so far`)
    button.ariaPressed = String(viewerHasLiked)
  }
  button.onclick = () =>
    attempt(button, async () => {
      const { setLike: done } = await run(setLike, { input: { uuid, liked: button.ariaPressed !== 'true' } })
      show(done.publication)
    })
  show(start)
  return button
}

/** Draws the button that bookmarks a post, and takes it back. */
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
