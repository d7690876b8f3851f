import { AtSign, Heart, type IconNode, MessageCircle, ShieldAlert, UserPlus } from 'lucide'
import { markRead, type Notification, notifications } from '../documents.ts'
import { element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawFace, drawIcon } from '../picture.ts'
import { updateBell } from './bell.ts'
import { ago, inFull } from './relative-time.ts'
import { nextAfter, type View } from './view.ts'

const kinds: Readonly<Record<Notification['kind'], { readonly icon: IconNode; readonly did: string }>> = {
  REPLY: { icon: MessageCircle, did: 'replied' },
  MENTION: { icon: AtSign, did: 'mentioned you' },
  LIKE: { icon: Heart, did: 'liked your post' },
  FOLLOW: { icon: UserPlus, did: 'followed you' },
  REMOVED: { icon: ShieldAlert, did: 'A moderator removed your post' },
}
const list = new Intl.ListFormat('en')

/** What the reader was notified of. */
export const notified: View = {
  title: 'Notifications',
  empty: 'No notifications yet. Likes, replies, mentions and new followers appear here.',
  query: notifications,
  variables: {},
  rest: { operation: 'Notifications/getNotifications', path: '/notifications' },
  load: async (after) => {
    const page = (await run(notifications, { after })).viewer?.notifications
    if (!page) return { head: [], items: [], next: null }
    const { nodes, pageInfo } = page
    if (after === null && pageInfo.startCursor) {
      await run(markRead, { input: { upTo: pageInfo.startCursor } })
      updateBell()
    }
    return { head: [], items: nodes.map(drawNotification), next: nextAfter(pageInfo) }
  },
}

function drawNotification({ kind, publication, reason, createdAt, isUnread, ...who }: Notification): HTMLElement {
  const { icon, did } = kinds[kind]
  const time = element('time', { dateTime: createdAt, title: inFull(createdAt) }, ago(createdAt))
  const text = element('span', {}, ...drawActors(who), did, reason ? `: ${reason}` : '')
  const when = element('span', {}, isUnread ? element('b', {}, 'New') : '', ' ', time)
  const faces = element('span', { className: 'faces' }, ...who.actors.map(({ uuid }) => drawFace(uuid)))
  const article = element('article', { className: 'card notification', tabIndex: -1 }, drawIcon(icon))
  article.dataset.kind = kind
  if (who.actors.length > 0) article.append(faces)
  article.append(element('header', {}, text, when))
  if (isUnread) article.classList.add('unread')
  if (publication) {
    const link = element('a', { href: `#/post/${publication.uuid}` }, publication.content)
    article.append(element('p', { dir: 'auto' }, link))
  }
  return article
}

/** Draws the names of the latest who did something, and how many others there are. */
function drawActors({ actors, count }: Pick<Notification, 'actors' | 'count'>): (Node | string)[] {
  if (actors.length === 0) return []
  const others = count - actors.length
  const names = actors.map(({ username }) => `@${username}`)
  if (others > 0) names.push(others === 1 ? '1 other' : `${others} others`)
  const parts = list.formatToParts(names)
  return [
    ...parts.map(({ value }) => (value.startsWith('@') ? element('a', { href: `#/${value}` }, value) : value)),
    ' ',
  ]
}
