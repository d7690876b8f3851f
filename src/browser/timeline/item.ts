import { attempt, byId, element } from '../element.ts'
import { run } from '../graphql.ts'
import { type Item, sendPost, setLike } from './documents.ts'

/** Draws a post or a reply, with the replies below it. */
export function drawItem(item: Item, replies: readonly HTMLElement[] = []): HTMLElement {
  const { uuid, content, createdAt, locked, replyCount } = item
  const { username, displayName } = item.author
  const href = `#/post/${uuid}`
  const date = new Date(createdAt).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
  const name = element('bdi', {}, element('b', {}, displayName))
  const author = element('a', { href: `#/@${username}` }, name, ` @${username}`)
  const time = element('a', { href }, element('time', { dateTime: createdAt }, date))
  const thread = element('a', { href }, replyCount === 1 ? '1 reply' : `${replyCount} replies`)
  const below = element('div', { className: 'replies' }, ...replies)
  const form = drawForm('Reply', uuid, (reply) => below.append(drawItem(reply)))
  const write = element('details', {}, element('summary', {}, 'Reply'), form)
  return element(
    'article',
    { id: uuid, className: 'card' },
    element('header', {}, author, time),
    element('p', { dir: 'auto' }, content),
    element('footer', {}, drawLike(item), thread, write, locked ? 'Locked' : ''),
    below,
  )
}

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

/** Puts a new post at the top of the list, unless it is there. */
export function prepend(item: Item): void {
  if (!document.getElementById(item.uuid)) byId('list').prepend(drawItem(item))
}

/** Draws a form that sends a post, or with `parent` a reply. */
export function drawForm(label: string, parent: string | null, sent: (item: Item) => void): HTMLFormElement {
  const text = element('textarea', {
    required: true,
    rows: 3,
    placeholder: 'Up to 500 characters',
    ariaLabel: label,
    dir: 'auto',
  })
  const send = element('button', {}, label)
  const form = element('form', {}, text, send)
  form.onsubmit = (event) => {
    event.preventDefault()
    attempt(send, async () => {
      const { sendPost: done } = await run(sendPost, { input: { content: text.value, parent } })
      sent(done.publication)
      text.value = ''
    })
  }
  return form
}
