import { MessageCircle, Pencil, Trash } from 'lucide'
import type { Item, User } from '../documents.ts'
import { byId, element } from '../dom.ts'
import { drawFace } from '../picture.ts'
import { isViewer } from '../viewer.ts'
import { accountChoices } from './account.ts'
import { disclose, drawIconButton } from './controls.ts'
import { drawDelete, drawEdit, drawForm, send } from './forms.ts'
import { linked } from './linked-text.ts'
import { drawMenu } from './menu.ts'
import { ago, inFull } from './relative-time.ts'
import { reportChoice } from './report.ts'
import { drawBookmark, drawLike } from './toggles.ts'

/** Draws a post or a reply, with the replies below it. */
export function drawItem(item: Item, replies: readonly Node[] = []): HTMLElement {
  const { uuid, createdAt, editedAt, locked, author } = item
  const sent = element('time', { dateTime: createdAt }, ago(createdAt))
  const time = element('a', { href: hrefOf(uuid), title: inFull(createdAt) }, sent, editedAt ? ', edited' : '')
  const below = repliesBelow(...replies)
  const article = frame(uuid)
  article.dataset.author = author.uuid

  const redraw = (changed: Item) => {
    const next = drawItem(changed, [...below.childNodes])
    article.replaceWith(next)
    next.focus()
  }
  const reply = drawIconButton(MessageCircle, 'Reply')
  const form = drawForm('Reply', async (text) => {
    const sent = await send(text, uuid)
    below.append(drawItem(sent))
    if (sent.parent) redraw(sent.parent)
  })
  disclose(reply, form)
  reply.classList.add('reply')
  const footer = element('footer', {}, drawLike(item), reply, drawBookmark(item))
  const notes = element('span', { className: 'notes' }, locked ? 'Locked' : '', drawThreadLink(item))
  article.append(
    element('header', {}, drawAuthor(author), time),
    element('p', { dir: 'auto' }, ...linked(item)),
    footer,
    form,
    below,
  )
  isViewer(author.username).then((isOwn) => {
    if (!isOwn)
      return footer.append(
        drawMenu(() => [...accountChoices(author), reportChoice(uuid)]),
        notes,
      )
    const edit = drawIconButton(Pencil, 'Edit')
    const editor = drawEdit(item, redraw)
    disclose(edit, editor)
    const remove = drawIconButton(Trash, 'Delete')
    const question = drawDelete(uuid, () => {
      const next = drawDeleted(uuid, below)
      article.replaceWith(next)
      next.focus()
    })
    disclose(remove, question)
    footer.append(edit, remove, notes)
    footer.after(editor, question)
  })
  return article
}

const hrefOf = (uuid: string) => `#/post/${uuid}`

function drawThreadLink({ uuid, replyCount, ...item }: Item): Node | string {
  const replies = replyCount === 1 ? '1 reply' : `${replyCount} replies`
  if (replyCount > 0) return element('a', { href: hrefOf(uuid) }, replies)
  return 'parentUuid' in item ? element('a', { href: hrefOf(uuid), className: 'view-thread' }, 'View thread') : ''
}

/** Draws the picture and the names of a user, which lead to the profile. */
export function drawAuthor({ uuid, username, displayName }: Pick<User, 'uuid' | 'username' | 'displayName'>) {
  const name = element('bdi', {}, element('b', {}, displayName))
  const handle = element('span', { className: 'handle' }, ` @${username}`)
  return element('a', { href: `#/@${username}`, className: 'author' }, drawFace(uuid), name, handle)
}

/** What shows a post or a reply, with the place of its replies. */
const frame = (uuid: string, ...content: readonly Node[]) =>
  element('article', { id: uuid, className: 'card post', tabIndex: -1 }, ...content)

const repliesBelow = (...replies: readonly Node[]) => element('div', { className: 'replies' }, ...replies)

/** Draws the place of a post or a reply that was deleted, with the replies below it. */
export const drawDeleted = (uuid: string, below = repliesBelow()) => frame(uuid, element('p', {}, 'Deleted'), below)

/** Puts a new post at the top of the list, unless it is there. */
export function prepend(item: Item): void {
  if (!document.getElementById(item.uuid)) byId('list').prepend(drawItem(item))
}
