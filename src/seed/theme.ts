import type { Topic } from './topics.ts'

/**
 * Templates of posts, and of replies that fit any of them. In a template `{bird}` is a word of the slot `bird`, the same throughout
 * a thread. `{~bird}` is another word of the slot. `{^bird}` and `{^~bird}` are capitalized. Without `~`, a reply only uses slots
 * that all posts of its theme use. Other slots are those of `everyday` in phrases.ts, drawn again each time.
 */
export type Theme = {
  topic: Topic
  slots: Readonly<Record<string, readonly string[]>>
  posts: readonly string[]
  replies: readonly string[]
}
