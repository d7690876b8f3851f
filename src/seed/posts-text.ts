import { closers, everyday, followUps, openers, thanks } from './phrases.ts'
import { Random, streamOf } from './random.ts'
import type { Theme } from './theme.ts'
import { computingThemes } from './themes-computing.ts'
import { homeThemes } from './themes-home.ts'
import { natureThemes } from './themes-nature.ts'
import { outingsThemes } from './themes-outings.ts'
import { textsOf } from './topics.ts'

/** Every theme that a thread can have. */
export const themes: readonly Theme[] = [...natureThemes, ...outingsThemes, ...homeThemes, ...computingThemes]

function capitalized(text: string): string {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('')
}

const slot = /\{(\^?)(~?)([a-z]+)\}/g

function filled(template: string, theme: Theme, thread: number, random: Random): string {
  return template.replace(slot, (_match, capital: string, other: string, name: string) => {
    const words = theme.slots[name]
    let word: string
    if (words === undefined) word = random.pick(everyday[name] ?? [])
    else {
      const shared = new Random(thread, streamOf(name)).pick(words)
      word = other ? random.pick(words.filter((candidate) => candidate !== shared)) : shared
    }
    return capital ? capitalized(word) : word
  })
}

/** The theme of a thread, and the seed of the words that its posts share. */
export type Subject = { theme: Theme; thread: number }

/** The text of a post that starts a thread. */
export function postText({ theme, thread }: Subject, random: Random): string {
  const text = filled(random.pick(theme.posts), theme, thread, random)
  return random.chance(0.12) ? `${text} ${random.pick(textsOf[theme.topic].tags)}` : text
}

/** A reply by the author of the first post, a reply of somebody else to that post, or a reply further down. */
export type ReplyKind = 'author' | 'first' | 'further'

/**
 * The text of a reply that fits the thread. `place` is the number of replies before it: neighbors do not repeat one another, and
 * texts become longer when the phrases run out.
 */
export function replyText({ theme, thread }: Subject, kind: ReplyKind, place: number, random: Random): string {
  const general = kind === 'author' ? thanks : followUps
  const cores = kind === 'author' || (kind === 'further' && random.chance(0.5)) ? general : theme.replies
  const core = cores[(thread + place) % cores.length] ?? ''
  const isLate = place >= cores.length
  const parts = [
    random.chance(isLate ? 0.8 : 0.3) ? random.pick(openers) : '',
    core,
    random.chance(isLate ? 0.7 : 0.25) ? random.pick(closers) : '',
  ]
  return filled(parts.filter((part) => part !== '').join(' '), theme, thread, random)
}
