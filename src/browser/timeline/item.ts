import { element } from '../element.ts'
import { run } from '../graphql.ts'
import { attempt } from './attempt.ts'
import { type Item, sendPost, setLike } from './documents.ts'

/** Draws a post or a reply, with the replies below it. */
export function drawItem(item: Item, replies: readonly HTMLElement[] = []): HTMLElement {
  const { uuid, author, content, createdAt, locked, replyCount } = item
  const time = element(
    'time',
    { dateTime: createdAt },
    new Date(createdAt).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }),
  )
  const below = element('div', { className: 'replies' }, ...replies)
  const write = drawForm('Reply', uuid, (reply) => below.append(drawItem(reply)))
  return element(
    'article',
    {},
    element(
      'header',
      {},
      element('a', { href: `#/@${author.username}` }, element('b', {}, author.displayName), ` @${author.username}`),
      element('a', { href: `#/post/${uuid}` }, time),
    ),
    element('p', {}, content),
    element(
      'footer',
      {},
      drawLike(item),
      element('a', { href: `#/post/${uuid}` }, replyCount === 1 ? '1 reply' : `${replyCount} replies`),
      element('details', {}, element('summary', {}, 'Reply'), write),
      locked ? 'Locked' : '',
    ),
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

/** Draws a form that sends a post, or with `parent` a reply. */
export function drawForm(label: string, parent: string | null, sent: (item: Item) => void): HTMLFormElement {
  const text = element('textarea', { required: true, rows: 3, placeholder: 'Up to 500 characters', ariaLabel: label })
  const send = element('button', {}, label)
  return element(
    'form',
    {
      onsubmit: (event) => {
        event.preventDefault()
        attempt(send, async () => {
          const { sendPost: done } = await run(sendPost, { input: { content: text.value, parent } })
          sent(done.publication)
          text.value = ''
        })
      },
    },
    text,
    send,
  )
}
