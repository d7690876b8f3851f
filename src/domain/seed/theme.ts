/** What an account may be interested in. */
export type Topic =
  | 'birds'
  | 'running'
  | 'weather'
  | 'astronomy'
  | 'bread'
  | 'tea'
  | 'music'
  | 'books'
  | 'trains'
  | 'self-hosting'
  | 'databases'
  | 'typescript'

/**
 * Templates of posts, and of replies that fit any of them. In a template `{bird}` is a word of that slot, the same
 * one throughout a thread; `{~bird}` is another word of the slot; `{^bird}` and `{^~bird}` start with a capital. A
 * reply names without `~` only what every post of its theme names. Slots that the theme lacks are everyday ones
 * (`everyday` in phrases.ts), drawn again each time.
 */
export type Theme = {
  topic: Topic
  slots: Readonly<Record<string, readonly string[]>>
  posts: readonly string[]
  replies: readonly string[]
}
