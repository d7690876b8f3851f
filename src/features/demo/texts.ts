import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageFolder } from '../../engine/package-folder.ts'

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
export type Person = z.infer<typeof person>

/** What people write about, each with a phrase for biographies, the tags of its posts, and themes of threads. */
export const topics = z.array(topic).parse(read('topics'))

/** The words of slots that every template may use, and the parts of replies to anything. */
export const phrases = z
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
