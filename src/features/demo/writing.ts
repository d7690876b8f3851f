import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageFolder } from '../../engine/package.ts'
import { at, Random, scattered } from './random.ts'

// What a seed draws depends on the order of every list in these files.
const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(packageFolder, `prisma/seed/${name}.json`), 'utf8'))

const texts = z.array(z.string())
const person = z.object({ username: z.string(), displayName: z.string(), bio: z.string(), interests: texts })

/**
 * Templates of posts, and of replies that fit any of them. In a template `{bird}` is a word of the slot `bird`, the same throughout
 * a thread. `{~bird}` is another word of the slot. `{^bird}` and `{^~bird}` are capitalized. Without `~`, a reply only uses slots
 * that all posts of its theme use. Other slots are everyday ones, drawn again each time.
 */
const theme = z.object({ slots: z.record(z.string(), texts), posts: texts, replies: texts })
const topic = z.object({ name: z.string(), biography: z.string(), tags: texts, themes: z.array(theme) })

/** An invented person and the names of the topics they write about. */
type Person = z.infer<typeof person>

/** What people write about, each with a phrase for biographies, the tags of its posts, and themes of threads. */
export const topics = z.array(topic).parse(read('topics'))

/** The words of slots that every template may use, and the parts of replies to anything. */
const phrases = z
  .object({
    everyday: z.object({ city: texts }).catchall(texts),
    openers: texts,
    closers: texts,
    thanks: texts,
    followUps: texts,
  })
  .parse(read('phrases'))

/** The first accounts of every network, of which the first is `ada`, the names of the others, and what they have. */
export const people = z
  .object({
    first: z.array(person),
    givenNames: texts,
    familyNames: texts,
    badges: texts,
    applications: z.array(z.object({ name: z.string(), website: z.string().nullable() })),
  })
  .parse(read('people'))

/** The person with an index: the first ones are written by hand, the others generated. Usernames never repeat. */
export function personAt(index: number, seed: number): Person {
  const { first, givenNames, familyNames } = people
  const person = first[index]
  if (person !== undefined) return person
  const names = givenNames.length * familyNames.length
  const made = index - first.length
  const place = scattered(made % names, names)
  const given = at(givenNames, place % givenNames.length)
  const family = at(familyNames, Math.floor(place / givenNames.length))
  const letters = `${given}_${family}`.toLowerCase().normalize('NFD').replaceAll('ı', 'i')
  const random = new Random(seed, 'person', index)
  const [topic, other] = [random.pick(topics), random.pick(topics)]
  return {
    username: letters.replace(/[^a-z_]/g, '') + (made < names ? '' : Math.floor(made / names) + 1),
    displayName: `${given} ${family}`,
    bio: random.chance(0.8) ? `${topic.biography}. ${random.pick(phrases.everyday.city)}.` : '',
    interests: [topic.name, other.name],
  }
}

/** A publication in its thread: its own index, the one of the first post, and how many replies come before it. */
type ThreadPosition = { readonly index: number; readonly root: number; readonly before: number }

/**
 * The text of a post that starts a thread, or of a reply that fits it. Most threads are about an interest of the author of their
 * first post.
 */
export function textOf(
  { index, root, before }: ThreadPosition,
  kind: 'post' | 'thanks' | 'reply' | 'followUp',
  author: number,
  seed: number,
): string {
  const shared = new Random(seed, 'thread', root)
  const interest = shared.pick(personAt(author, seed).interests)
  const topic = (shared.chance(0.85) && topics.find(({ name }) => name === interest)) || shared.pick(topics)
  const { slots, posts, replies } = shared.pick(topic.themes)
  const thread = shared.bits()
  const random = new Random(seed, 'text', index)

  const fill = (template: string): string =>
    template.replace(/\{(\^?)(~?)([a-z]+)\}/g, (_slot, capital: string, other: string, name: string) => {
      const words = slots[name] ?? phrases.everyday[name] ?? []
      const same = new Random(thread, name).pick(words)
      const word = name in slots && !other ? same : random.pick(words.filter((each) => each !== same))
      return capital ? word.charAt(0).toUpperCase() + word.slice(1) : word
    })
  if (kind === 'post') return fill(random.pick(posts)) + (random.chance(0.12) ? ` ${random.pick(topic.tags)}` : '')

  // Neighbors do not repeat one another, and texts become longer when the phrases run out.
  const cores = { thanks: phrases.thanks, reply: replies, followUp: phrases.followUps }[kind]
  const isLate = before >= cores.length
  const parts = [
    random.chance(isLate ? 0.8 : 0.3) ? random.pick(phrases.openers) : '',
    at(cores, (thread + before) % cores.length),
    random.chance(isLate ? 0.7 : 0.25) ? random.pick(phrases.closers) : '',
  ]
  return fill(parts.join(' ').trim())
}
