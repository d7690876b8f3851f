import { setBlock, setMute, type User } from '../documents.ts'
import { byId } from '../dom.ts'
import { run } from '../graphql.ts'
import { type Choice, say } from './controls.ts'

/** An account that the reader can hide. Only its profile says whether they block it. */
type Account = Pick<User, 'uuid' | 'username' | 'viewerIsMuting'> & Partial<Pick<User, 'viewerIsBlocking'>>

/** Ways to hide an account from the reader. */
const mute = {
  labels: ['Mute', 'Unmute'],
  said: (name: string) => `Muted ${name}. Your timelines no longer show their posts.`,
  set: (uuid: string, muted: boolean) => run(setMute, { input: { uuid, muted } }),
} as const
const block = {
  labels: ['Block', 'Unblock'],
  said: (name: string) => `Blocked ${name}. You no longer see or follow each other.`,
  set: (uuid: string, blocked: boolean) => run(setBlock, { input: { uuid, blocked } }),
} as const

/** What a menu offers about an account. */
export const accountChoices = (account: Account): Choice[] => [
  offer(mute, account, account.viewerIsMuting),
  offer(block, account, account.viewerIsBlocking ?? false),
]

function offer({ labels, said, set }: typeof mute | typeof block, { uuid, username }: Account, isSet: boolean): Choice {
  const name = `@${username}`
  const show = async () => {
    await set(uuid, false)
    dispatchEvent(new Event('refresh'))
  }
  const hide = async () => {
    await set(uuid, true)
    // A timeline keeps its place. Other views are read again, because only the server knows what they still show.
    if (byId('list').className === 'timeline') removePostsOf(uuid)
    else dispatchEvent(new Event('refresh'))
    say(said(name), show)
  }
  return isSet ? { text: `${labels[1]} ${name}`, choose: show } : { text: `${labels[0]} ${name}`, choose: hide }
}

function removePostsOf(uuid: string): void {
  for (const post of document.querySelectorAll(`[data-author="${uuid}"]`)) post.remove()
}
