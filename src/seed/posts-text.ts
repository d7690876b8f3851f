import { Random } from './random.ts'
import { phrases, type Theme } from './texts.ts'

/** The theme of a thread, and the seed of the words that its posts share. */
export type Subject = { readonly theme: Theme; readonly thread: number }

function filled(template: string, { theme, thread }: Subject, random: Random): string {
  const draw = (name: string, isOther: boolean): string => {
    const words = theme.slots[name]
    if (words === undefined) return random.pick(phrases.everyday[name] ?? [])
    const shared = new Random(thread, name).pick(words)
    return isOther ? random.pick(words.filter((word) => word !== shared)) : shared
  }
  return template.replace(/\{(\^?)(~?)([a-z]+)\}/g, (_slot, capital: string, other: string, name: string) => {
    const word = draw(name, other !== '')
    return capital ? word.charAt(0).toUpperCase() + word.slice(1) : word
  })
}

/** The text of a post that starts a thread. */
export function postText(subject: Subject, random: Random): string {
  const { posts, topic } = subject.theme
  const text = filled(random.pick(posts), subject, random)
  return random.chance(0.12) ? `${text} ${random.pick(topic.tags)}` : text
}

/** A reply by the author of the first post, a reply of somebody else to that post, or a reply further down. */
export type ReplyKind = 'author' | 'first' | 'further'

/**
 * The text of a reply that fits the thread. `place` is the number of replies before it: neighbors do not repeat one another, and
 * texts become longer when the phrases run out.
 */
export function replyText(subject: Subject, kind: ReplyKind, place: number, random: Random): string {
  const general = kind === 'author' ? phrases.thanks : phrases.followUps
  const isGeneral = kind === 'author' || (kind === 'further' && random.chance(0.5))
  const cores = isGeneral ? general : subject.theme.replies
  const isLate = place >= cores.length
  const parts = [
    random.chance(isLate ? 0.8 : 0.3) ? random.pick(phrases.openers) : '',
    cores[(subject.thread + place) % cores.length] ?? '',
    random.chance(isLate ? 0.7 : 0.25) ? random.pick(phrases.closers) : '',
  ]
  return filled(parts.filter((part) => part !== '').join(' '), subject, random)
}
