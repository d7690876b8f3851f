import { MessageCircle, Pencil, Quote, Repeat2, Trash } from 'lucide'
import type { Item, Reposters } from '../documents.ts'
import { byId, element } from '../dom.ts'
import { drawIcon } from '../picture.ts'
import { isViewer } from '../viewer.ts'
import { accountChoices } from './account.ts'
import { drawAudience, drawAudienceField } from './audience.ts'
import { disclose, drawIconButton, drawMenu, say } from './controls.ts'
import { type Draft, drawDelete, drawEdit, drawForm, reportChoice, send } from './forms.ts'
import { drawIdentity, drawNames, type NamedUser } from './names.ts'
import {
  detachChoice,
  drawQuote,
  drawQuoted,
  drawQuotesLink,
  hrefOf,
  isForEverybody,
  quotableChoices,
} from './quote.ts'
import { ago, inFull } from './times.ts'
import { drawBookmark, drawLike, drawRepost } from './toggles.ts'
import { drawText } from './warning.ts'

/** The content of a post, with links to the users it mentions and to its hashtags. Their ranges are in code points. */
function linked({ content, mentions, hashtags }: Pick<Item, 'content' | 'mentions' | 'hashtags'>) {
  const links = [
    ...mentions.map(({ user, ...range }) => ({ ...range, href: `#/@${user.username}` })),
    ...hashtags.map(({ hashtag, ...range }) => ({ ...range, href: `#/tag/${encodeURIComponent(hashtag.name)}` })),
  ]
  const characters = [...content]
  const text = (start: number, end?: number) => characters.slice(start, end).join('')
  let at = 0
  const nodes: (Node | string)[] = []
  for (const { start, end, href } of links.toSorted((a, b) => a.start - b.start)) {
    nodes.push(text(at, start), element('a', { href }, text(start, end)))
    at = end
  }
  return [...nodes, text(at)]
}

/** Draws a post or a reply, with the replies below it, and above it who reposted it. */
export function drawItem(
  item: Item,
  { replies = [], above = '' }: { readonly replies?: readonly Node[]; readonly above?: Node | string } = {},
): HTMLElement {
  const { uuid, createdAt, editedAt, author } = item
  const sent = element('time', { dateTime: createdAt }, ago(createdAt))
  const time = element('a', { href: hrefOf(uuid), title: inFull(createdAt) }, sent, editedAt ? ', edited' : '')
  const below = repliesBelow(...replies)
  const article = frame(uuid)
  article.dataset.author = author.uuid

  const redraw = (changed: Item) => {
    const next = drawItem(changed, { replies: [...below.childNodes], above })
    article.replaceWith(next)
    next.focus()
  }
  const [reply, form] = drawReply(item, below, redraw)
  const footer = element('footer', {}, drawLike(item), reply)
  if (isForEverybody(item)) footer.append(drawRepost(item))
  const bookmark = drawBookmark(item)
  footer.append(bookmark)
  const notes = drawNotes(item)
  article.append(
    above,
    element('header', {}, drawAuthor(author), element('span', { className: 'when' }, drawAudience(item), time)),
    drawText(item, ...linked(item)),
    drawQuote(item),
    footer,
    form,
    below,
  )
  const quotesViewer = item.quoted !== null && isViewer(item.quoted.author.username)
  Promise.all([isViewer(author.username), quotesViewer]).then(([isOwn, canDetach]) => {
    if (isForEverybody(item) && (item.quotable || isOwn)) bookmark.before(drawQuoteButton(item, form, redraw))
    const detach = canDetach ? [detachChoice(item, redraw)] : []
    const quotable = isOwn ? quotableChoices(item, redraw) : []
    const menu = drawMenu(() => [
      ...detach,
      ...quotable,
      ...(isOwn ? [] : [...accountChoices(author), reportChoice(uuid)]),
    ])
    if (!isOwn) return footer.append(menu, notes)
    const edit = drawIconButton(Pencil, 'Edit')
    const editor = drawEdit(item, redraw)
    disclose(edit, editor)
    const remove = drawIconButton(Trash, 'Delete')
    const question = drawDelete(uuid, () => {
      const next = drawGone(uuid, 'Deleted', below)
      article.replaceWith(next)
      next.focus()
    })
    disclose(remove, question)
    footer.append(edit, remove, detach.length + quotable.length > 0 ? menu : '', notes)
    footer.after(editor, question)
  })
  return article
}

/** Draws the button that replies to an item, and the form that it opens. */
function drawReply(
  item: Item,
  below: HTMLElement,
  redraw: (item: Item) => void,
): readonly [HTMLButtonElement, HTMLFormElement] {
  const button = drawIconButton(MessageCircle, 'Reply')
  const audience = drawAudienceField(item)
  const submit = async (draft: Draft) => {
    const sent = await send(draft, { parent: item.uuid }, audience)
    below.append(drawItem(sent))
    if (sent.parent) redraw(sent.parent)
  }
  const form = drawForm('Reply', submit, { audience })
  disclose(button, form)
  button.classList.add('reply')
  return [button, form]
}

/** Draws the button that quotes an item. It puts its form after another one when it is first pressed. */
function drawQuoteButton(item: Item, before: HTMLElement, redraw: (item: Item) => void): HTMLButtonElement {
  const button = drawIconButton(Quote, 'Quote')
  const audience = drawAudienceField()
  const submit = async (draft: Draft) => {
    const sent = await send(draft, { quote: item.uuid }, audience)
    if (sent.quoted) redraw(sent.quoted)
    say('Your quote is published.')
  }
  button.onclick = () => {
    const form = drawForm('Quote', submit, { audience, quoted: drawQuoted(item) })
    before.after(form)
    disclose(button, form)
    button.click()
  }
  return button
}

/** The number of accounts that are named above what they reposted. */
const namedReposters = 2

/** Draws who reposted an item of a timeline. */
export function drawReposters({ repostedBy, reposterCount }: Reposters): Node | string {
  if (repostedBy.length === 0) return ''
  const names = drawNames(repostedBy.slice(0, namedReposters), reposterCount)
  return element('div', { className: 'reposted' }, drawIcon(Repeat2), element('span', {}, ...names, 'reposted'))
}

const drawNotes = (item: Item) =>
  element('span', { className: 'notes' }, item.locked ? 'Locked' : '', drawQuotesLink(item), drawThreadLink(item))

function drawThreadLink({ uuid, replyCount, ...item }: Item): Node | string {
  const replies = replyCount === 1 ? '1 reply' : `${replyCount} replies`
  if (replyCount > 0) return element('a', { href: hrefOf(uuid) }, replies)
  return 'parentUuid' in item ? element('a', { href: hrefOf(uuid), className: 'view-thread' }, 'View thread') : ''
}

/** Draws the picture and the names of a user, which lead to the profile. */
export function drawAuthor(user: NamedUser) {
  return element('a', { href: `#/@${user.username}`, className: 'author' }, ...drawIdentity(user))
}

/** The frame of a post or a reply, with room for its replies. */
const frame = (uuid: string, ...content: readonly Node[]) =>
  element('article', { id: uuid, className: 'card post', tabIndex: -1 }, ...content)

const repliesBelow = (...replies: readonly Node[]) => element('div', { className: 'replies' }, ...replies)

/** Draws a placeholder for a post or a reply that is gone, with the replies below it. */
export const drawGone = (uuid: string, why: string, below = repliesBelow()) => frame(uuid, element('p', {}, why), below)

/** Puts a new post, or what was reposted now, at the top of the list, unless it is there. */
export function prepend(item: Item, above: Node | string = ''): void {
  if (!document.getElementById(item.uuid)) byId('list').prepend(drawItem(item, { above }))
}
