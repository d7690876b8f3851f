import { attempt, byId, element } from '../element.ts'
import { run } from '../graphql.ts'
import { isViewer } from '../viewer.ts'
import { accountChoices } from './account.ts'
import { ago, inFull } from './ago.ts'
import { type Item, setBookmark, setLike, type User } from './documents.ts'
import { disclose, drawDelete, drawEdit, drawForm, send } from './forms.ts'
import { type Choice, drawMenu } from './menu.ts'
import { reportChoice } from './report.ts'
import { linked } from './text.ts'

/** Draws a post or a reply, with the replies below it. */
export function drawItem(item: Item, replies: readonly Node[] = []): HTMLElement {
  const { uuid, createdAt, editedAt, locked, replyCount } = item
  const { username } = item.author
  const href = `#/post/${uuid}`
  const sent = element('time', { dateTime: createdAt }, ago(createdAt))
  const time = element('a', { href, title: inFull(createdAt) }, sent, editedAt ? ', edited' : '')
  const replied = replyCount === 1 ? '1 reply' : `${replyCount} replies`
  const isInThread = replyCount > 0 || 'parentUuid' in item
  const thread = isInThread ? element('a', { href }, replyCount > 0 ? replied : 'Conversation') : ''
  const below = repliesBelow(...replies)
  const article = frame(uuid)
  article.dataset.author = item.author.uuid

  const redraw = (changed: Item) => {
    const next = drawItem(changed, [...below.childNodes])
    article.replaceWith(next)
    next.focus()
  }
  const reply = drawForm('Reply', async (text) => {
    const sent = await send(text, uuid)
    below.append(drawItem(sent))
    if (sent.parent) redraw(sent.parent)
  })
  const footer = element('footer', {}, drawLike(item), thread, disclose('Reply', reply), locked ? 'Locked' : '')
  article.append(
    element('header', {}, drawAuthor(item.author), time),
    element('p', { dir: 'auto' }, ...linked(item)),
    footer,
    below,
  )
  isViewer(username).then((isOwn) => {
    const bookmark = bookmarkChoice(item)
    const menu = drawMenu(() =>
      isOwn ? [bookmark()] : [bookmark(), ...accountChoices(item.author), reportChoice(uuid)],
    )
    if (!isOwn) return footer.append(menu)
    const remove = drawDelete(uuid, () => {
      const next = drawDeleted(uuid, below)
      article.replaceWith(next)
      next.focus()
    })
    return footer.append(drawEdit(item, redraw), remove, menu)
  })
  return article
}

/** Draws the names of a user, which lead to the profile. */
export function drawAuthor({ username, displayName }: Pick<User, 'username' | 'displayName'>): HTMLElement {
  const name = element('bdi', {}, element('b', {}, displayName))
  return element('a', { href: `#/@${username}` }, name, ` @${username}`)
}

/** What shows a post or a reply, with the place of its replies. */
const frame = (uuid: string, ...content: readonly Node[]) =>
  element('article', { id: uuid, className: 'card', tabIndex: -1 }, ...content)

const repliesBelow = (...replies: readonly Node[]) => element('div', { className: 'replies' }, ...replies)

/** Draws the place of a post or a reply that was deleted, with the replies below it. */
export const drawDeleted = (uuid: string, below = repliesBelow()) => frame(uuid, element('p', {}, 'Deleted'), below)

function drawLike({ uuid, ...start }: Item): HTMLButtonElement {
  const button = element('button', {})
  const show = ({ likeCount, viewerHasLiked }: Pick<Item, 'likeCount' | 'viewerHasLiked'>) => {
    button.textContent = `♥ ${likeCount}`
    button.ariaLabel = `Like, ${likeCount} so far`
    button.ariaPressed = String(viewerHasLiked)
  }
  // States what it wants instead of inverting what is there, so that a second click does no harm.
  button.onclick = () =>
    attempt(button, async () => {
      const { setLike: done } = await run(setLike, { input: { uuid, liked: button.ariaPressed !== 'true' } })
      show(done.publication)
    })
  show(start)
  return button
}

/** Makes what a menu offers about a post. */
function bookmarkChoice({ uuid, viewerHasBookmarked: isBookmarked }: Item): () => Choice {
  let bookmarked = isBookmarked
  const choose = async () => {
    const { setBookmark: done } = await run(setBookmark, { input: { uuid, bookmarked: !bookmarked } })
    bookmarked = done.publication.viewerHasBookmarked
  }
  return () => ({ text: bookmarked ? 'Remove bookmark' : 'Bookmark', choose })
}

/** Puts a new post at the top of the list, unless it is there. */
export function prepend(item: Item): void {
  if (!document.getElementById(item.uuid)) byId('list').prepend(drawItem(item))
}
