import { setFollow, setPrivacy, type User } from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawFace } from '../picture.ts'
import { forgetViewer, isViewer } from '../viewer.ts'
import { accountChoices } from './account.ts'
import { drawLock } from './audience.ts'
import { disclose, drawMenu } from './controls.ts'
import { reportChoice } from './forms.ts'

/** Draws what there is to know and to do about an account. */
export function drawProfile(user: User): HTMLElement {
  const name = element('h2', { dir: 'auto' }, user.displayName, drawLock(user))
  const bio = element('p', { dir: 'auto' }, user.bio)
  const card = element('section', { className: 'card profile' }, drawFace(user.uuid), name, bio, drawFollow(user))
  isViewer(user.username).then((isOneself) => isOneself && card.append(...drawPrivacy(user)))
  return card
}

function drawFollow({ uuid, ...start }: User): HTMLElement {
  const button = element('button', {})
  const menu = drawMenu(() => [...accountChoices({ uuid, ...start }), reportChoice(uuid)])
  const counts = element('span', { className: 'counts' })
  const line = element('p', { className: 'line' }, counts)
  isViewer(start.username).then((isOneself) => {
    if (isOneself) return
    if (!start.viewerIsBlocking && !start.isBlockingViewer) line.append(button)
    line.append(menu)
  })
  const show = (user: Pick<User, 'followerCount' | 'viewerIsFollowing' | 'viewerHasRequested'>) => {
    const asked = user.viewerHasRequested ? 'Requested' : 'Follow'
    button.textContent = user.viewerIsFollowing ? 'Unfollow' : asked
    button.title = user.viewerHasRequested ? 'Withdraw the request' : ''
    button.className = button.textContent === 'Follow' ? 'main' : ''
    const followers = user.followerCount === 1 ? '1 follower' : `${user.followerCount} followers`
    counts.textContent = `${followers} · ${start.followingCount} following`
  }
  button.onclick = () =>
    attempt(button, async () => {
      const { setFollow: done } = await run(setFollow, { input: { uuid, followed: button.textContent === 'Follow' } })
      show(done.user)
    })
  show(start)
  if (start.viewerIsBlocking) counts.after(' You block this account. ')
  if (start.isBlockingViewer) counts.after(' This account blocks you. ')
  return line
}

/** Draws what makes the account of the reader private, or opens it. */
function drawPrivacy({ isPrivate }: User): Node[] {
  const [does, effect] = isPrivate
    ? [
        'Open the account',
        'Everybody can see what you sent for everybody, and all requests to follow you are accepted.',
      ]
    : ['Make private', 'Only your followers can see what you publish, and you decide who follows you.']
  const button = element('button', { type: 'button' }, `${does}…`)
  const confirm = element('button', { className: 'main' }, does)
  const question = element('div', { className: 'ask' }, element('span', {}, effect), confirm)
  confirm.onclick = () =>
    attempt(confirm, async () => {
      await run(setPrivacy, { input: { isPrivate: !isPrivate } })
      forgetViewer()
      dispatchEvent(new Event('refresh'))
    })
  disclose(button, question)
  return [element('p', { className: 'line' }, button), question]
}
