import { AtSign, type IconNode, Lock, Users } from 'lucide'
import type { Item } from '../documents.ts'
import { element } from '../dom.ts'
import { drawIcon } from '../picture.ts'
import { isPrivate } from '../viewer.ts'

type Audience = Item['audience']

const shown: Readonly<Partial<Record<Audience, { readonly icon: IconNode; readonly text: string }>>> = {
  FOLLOWERS: { icon: Users, text: 'Followers' },
  ADDRESSED: { icon: AtSign, text: 'Addressed' },
}

/** Draws whom a post is for, unless that is everybody. */
export function drawAudience({ audience }: Pick<Item, 'audience'>): Node | string {
  const { icon, text } = shown[audience] ?? {}
  return icon ? element('span', { className: 'audience' }, drawIcon(icon), ` ${text} `) : ''
}

/** Marks the name of an account that is private. Screen readers read the text. */
export function drawLock({ isPrivate }: { readonly isPrivate: boolean }): Node | string {
  if (!isPrivate) return ''
  const text = element('span', { className: 'unseen' }, ' Private account')
  return element('span', { className: 'lock', title: 'Private account' }, drawIcon(Lock), text)
}

type Choice = { readonly text: string; readonly audience: Audience | null }

/** The audiences that a post or a reply can have, first the one that it has by default. */
function choicesFor(parent: Audience, isReply: boolean, isPrivate: boolean): readonly Choice[] {
  const addressed = {
    text: `Addressed: whom you ${isReply ? 'answer and mention' : 'mention'}`,
    audience: 'ADDRESSED',
  } as const
  if (parent === 'ADDRESSED') return [{ ...addressed, text: 'Addressed, like this post' }]
  if (parent === 'FOLLOWERS') return [{ text: 'Followers, like this post', audience: parent }, addressed]
  const followers = { text: 'Followers', audience: 'FOLLOWERS' } as const
  return isPrivate
    ? [followers, addressed, { text: 'Everybody, once your account is open', audience: 'EVERYBODY' }]
    : // The default of the server, for an account that was made private elsewhere meanwhile.
      [{ text: 'Everybody', audience: null }, followers, addressed]
}

/** Whom a new post is for, or the reply to one. */
export type AudienceField = { readonly select: HTMLSelectElement; chosen(): Audience | null }

/** Draws the choice of an audience that is not wider than that of the parent. */
export function drawAudienceField(parent?: Pick<Item, 'audience'>): AudienceField {
  const select = element('select', { ariaLabel: 'Audience' })
  let choices: readonly Choice[] = []
  const offer = (isPrivate: boolean) => {
    const chosen = select.selectedIndex > 0 ? choices[select.selectedIndex]?.audience : undefined
    choices = choicesFor(parent?.audience ?? 'EVERYBODY', parent !== undefined, isPrivate)
    select.replaceChildren(...choices.map(({ text }) => element('option', {}, text)))
    select.selectedIndex = Math.max(
      0,
      choices.findIndex(({ audience }) => audience === chosen),
    )
  }
  offer(false)
  isPrivate().then((is) => is && offer(true))
  return { select, chosen: () => choices[select.selectedIndex]?.audience ?? null }
}
