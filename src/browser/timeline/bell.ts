import { newNotifications, unread } from '../documents.ts'
import { byId } from '../dom.ts'
import { run } from '../graphql.ts'
import { authorization } from '../token.ts'
import { follow } from './subscription.ts'

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
export function updateBell(): void {
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
  if (answer) stopFollowing = follow(newNotifications, answer.changeCursor, updateBell)
}

addEventListener('token', start)
start()
