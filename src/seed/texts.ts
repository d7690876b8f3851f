import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageFolder } from '../package-folder.ts'

// What a seed draws depends on the order of every list in these files.
function read<T>(name: string, schema: z.ZodType<T>): T {
  return schema.parse(JSON.parse(readFileSync(join(packageFolder, `prisma/seed/${name}.json`), 'utf8')))
}

const texts = z.array(z.string())

const topic = z.object({ name: z.string(), biography: z.string(), tags: texts })

/** The topics that people write about, each with a phrase for biographies and the tags of its posts. */
export const topics = read('topics', z.array(topic))

const topicByName = z.string().transform((name) => {
  const found = topics.find((topic) => topic.name === name)
  if (found === undefined) throw new RangeError(`There is no topic ${name}.`)
  return found
})

/** The words of slots that every template may use, and the parts of replies to anything. */
export const phrases = read(
  'phrases',
  z.object({
    everyday: z.object({ city: texts, day: texts }).catchall(texts),
    openers: texts,
    closers: texts,
    thanks: texts,
    followUps: texts,
  }),
)

const person = z.object({
  username: z.string(),
  displayName: z.string(),
  bio: z.string(),
  interests: z.array(topicByName),
})

/** An invented person and the topics they write about. */
export type Person = z.infer<typeof person>

/** The first accounts of every network, of which the first is `ada`, and the names of the others. */
export const people = read('people', z.object({ first: z.array(person), givenNames: texts, familyNames: texts }))

const theme = z.object({ topic: topicByName, slots: z.record(z.string(), texts), posts: texts, replies: texts })

/**
 * Templates of posts, and of replies that fit any of them. In a template `{bird}` is a word of the slot `bird`, the same throughout
 * a thread. `{~bird}` is another word of the slot. `{^bird}` and `{^~bird}` are capitalized. Without `~`, a reply only uses slots
 * that all posts of its theme use. Other slots are everyday ones, drawn again each time.
 */
export type Theme = z.infer<typeof theme>

/** Every theme that a thread can have. */
export const themes = read('themes', z.array(theme))
