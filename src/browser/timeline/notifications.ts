import { AtSign, Heart, type IconNode, MessageCircle, Quote, Repeat2, ShieldAlert, UserLock, UserPlus } from 'lucide'
import { markRead, type Notification, newNotifications, notifications, unread } from '../documents.ts'
import { byId, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawFace, drawIcon } from '../picture.ts'
import { authorization } from '../token.ts'
import { isPrivate } from '../viewer.ts'
import { removeHidden } from './hidden.ts'
import { drawNames } from './names.ts'
import { hrefOf } from './quote.ts'
import { drawAnswers } from './requests.ts'
import { follow } from './subscription.ts'
import { ago, inFull } from './times.ts'
import { nextAfter, type View } from './view.ts'
import { drawText } from './warning.ts'

/** The least time between two requests for the number, in milliseconds: a popular post has many likes. */
const pause = 300

const bell = byId('bell')
let stopFollowing: (() => void) | undefined
let isWaiting = false
/** The number of requests so far. Only the answer to the last one is shown. */
let requests = 0

function show(count: number): void {
  if (count > 0) bell.dataset.unread = String(count)
  else delete bell.dataset.unread
  bell.ariaLabel = count > 0 ? `Notifications, ${count} unread` : null
}

/** Asks how many notifications are unread. Undefined if the token may not read it, or if somebody asked later. */
async function ask() {
  requests += 1
  const request = requests
  if (!authorization().Authorization) return undefined
  const answer = await run(unread, {}).catch(() => undefined)
  if (!answer || request !== requests) return undefined
  show(answer.viewer?.unreadNotificationCount ?? 0)
  return answer
}

/** Shows soon how many notifications are unread now. */
function updateBell(): void {
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    isWaiting = false
    ask()
  }, pause)
}

/** Shows how many notifications of the token in use are unread, and follows it. */
async function start(): Promise<void> {
  stopFollowing?.()
  show(0)
  const answer = await ask()
  if (!answer) return
  stopFollowing = follow(newNotifications, answer.changeCursor, ({ changes }) => {
    updateBell()
    removeHidden(changes).catch(() => undefined)
  })
}

addEventListener('token', start)
start()

const kinds: Readonly<Record<Notification['kind'], { readonly icon: IconNode; readonly did: string }>> = {
  REPLY: { icon: MessageCircle, did: 'replied' },
  QUOTE: { icon: Quote, did: 'quoted your post' },
  MENTION: { icon: AtSign, did: 'mentioned you' },
  LIKE: { icon: Heart, did: 'liked your post' },
  REPOST: { icon: Repeat2, did: 'reposted your post' },
  FOLLOW: { icon: UserPlus, did: 'followed you' },
  FOLLOW_REQUEST: { icon: UserLock, did: 'asked to follow you' },
  REMOVED: { icon: ShieldAlert, did: 'A moderator removed your post' },
  WARNED: { icon: ShieldAlert, did: 'A moderator gave your post a warning' },
}

/** What the reader was notified of. */
export const notified: View = {
  title: 'Notifications',
  empty: 'No notifications yet. Likes, replies, mentions, reposts, quotes and new followers appear here.',
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
    const link = element('a', { href: '#/requests' }, 'Follow requests')
    return { head: (await isPrivate()) ? [link] : [], items: nodes.map(drawNotification), next: nextAfter(pageInfo) }
  },
}

function drawNotification({ kind, publication, reason, createdAt, isUnread, ...who }: Notification): HTMLElement {
  const { icon, did } = kinds[kind]
  const time = element('time', { dateTime: createdAt, title: inFull(createdAt) }, ago(createdAt))
  const text = element('span', {}, ...drawNames(who.actors, who.count), did, reason ? `: ${reason}` : '')
  const when = element('span', {}, isUnread ? element('b', {}, 'New') : '', ' ', time)
  const faces = element('span', { className: 'faces' }, ...who.actors.map(({ uuid }) => drawFace(uuid)))
  const article = element('article', { className: 'card notification', tabIndex: -1 }, drawIcon(icon))
  article.dataset.kind = kind
  if (who.actors.length > 0) article.append(faces)
  article.append(element('header', {}, text, when))
  if (isUnread) article.classList.add('unread')
  if (kind === 'FOLLOW_REQUEST') article.append(...who.actors.map(drawRequest))
  if (publication) {
    const link = element('a', { href: hrefOf(publication.uuid) }, publication.content)
    article.append(drawText(publication, link))
  }
  return article
}

const drawRequest = (actor: Notification['actors'][number]) =>
  element(
    'p',
    { className: 'request' },
    element('a', { href: `#/@${actor.username}` }, `@${actor.username}`),
    drawAnswers(actor),
  )
