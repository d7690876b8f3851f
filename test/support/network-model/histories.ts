import fc from 'fast-check'
import { nothing } from './model.ts'
import type { Request, UserReference } from './requests.ts'
import type { User } from './state.ts'

const uuidAt = (number: number) => `01900000-0000-7000-8000-00000000000${number}`
const applications = [{ uuid: uuidAt(9), name: 'Loom', website: 'https://loom.example/' }] as const

/** The accounts at the start of each history, the first with the token of an application. */
export const accounts = ['ada', 'Bob', 'cyd', 'dee'].map((username, index) => ({
  uuid: uuidAt(index + 1),
  username,
  email: `${username.toLowerCase()}@example.org`,
  joined: 1_767_323_045 + index,
  application: applications[index] ?? null,
}))

/** New accounts of the model. */
export const newUsers = (): User[] => accounts.map((it) => ({ ...it, displayName: it.username, bio: '' }))

/** One request of a history. The user is the position of an account; `byAuthor` prefers the author of the publication concerned. */
export type Step = {
  readonly user: number
  readonly byAuthor: boolean
  readonly request: Request
}

// Mostly one of the first, so that lists grow long.
const publication = fc.oneof(fc.nat(3), fc.nat(99))
const group = fc.constantFrom('post' as const, 'post' as const, 'reply' as const)
const flag = fc.option(fc.boolean(), { nil: undefined })
const character = fc.constantFrom('a', '😀', ' ', '\u0085', '\0', '\u001b', '\t')
const edgeText = fc.tuple(character, fc.constantFrom(0, 1, 500, 501)).map(([it, times]) => it.repeat(times))
const anyText = fc.string({ unit: 'grapheme', maxLength: 20 })
const paddedText = anyText.map((text) => ` ${text}\n`)
const content = fc.oneof({ weight: 6, arbitrary: anyText }, edgeText, paddedText)
const reference: fc.Arbitrary<UserReference> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...accounts.map(({ uuid }) => uuid)) },
  { weight: 3, arbitrary: fc.constantFrom('@ada', '@bob', '@CYD') },
  { weight: 2, arbitrary: fc.constantFrom(nothing, '@nobody_here') },
)
const numbered = {
  page: fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.constantFrom(0, 1_000, 100_001)),
  limit: fc.oneof({ weight: 12, arbitrary: fc.constantFrom(undefined, 1, 2, 3) }, fc.constantFrom(0, 100, 101)),
}
const named = <const Name extends string>(...names: Name[]) => fc.constantFrom(...names)

const writes: fc.Arbitrary<Request> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({
        name: named('send'),
        group,
        content,
        locked: flag,
        parent: fc.option(publication, { nil: undefined, freq: 3 }),
      })
      // A reply needs a parent.
      .map((it) => ({ ...it, group: it.parent === undefined ? ('post' as const) : it.group })),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      name: named('edit'),
      group,
      publication,
      content: fc.option(content, { nil: undefined, freq: 2 }),
      locked: flag,
    }),
  },
  { weight: 3, arbitrary: fc.record({ name: named('delete'), group, publication }) },
  { weight: 5, arbitrary: fc.record({ name: named('like'), group, publication }) },
  { weight: 3, arbitrary: fc.record({ name: named('follow'), user: reference }) },
)

const reads: fc.Arbitrary<Request> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ name: named('post', 'reply'), publication }) },
  {
    weight: 1,
    arbitrary: fc.record({
      name: named('publications'),
      publications: fc.array(publication, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: named('viewer') }) },
  { weight: 2, arbitrary: fc.record({ name: named('user'), user: reference }) },
  { weight: 4, arbitrary: fc.record({ name: named('replies', 'likers'), publication, ...numbered }) },
  {
    weight: 5,
    arbitrary: fc.record({ name: named('posts', 'likes', 'following', 'followers'), user: reference, ...numbered }),
  },
)

const steps = (requests: fc.Arbitrary<Request>): fc.Arbitrary<Step> =>
  fc.record({
    user: fc.nat(accounts.length - 1),
    byAuthor: fc.nat(2).map((drawn) => drawn === 2),
    request: requests,
  })

/** Reads of everything by one of the users. */
export const everything = (publications: number, user: number): readonly Step[] => {
  const reads: readonly Request[] = [
    { name: 'publications', publications: [...Array(publications + 1).keys()] },
    ...accounts.map(({ uuid }) => ({ name: 'user' as const, user: uuid })),
  ]
  return reads.map((request) => ({ user, byAuthor: false, request }))
}

/** Random histories, in which each write is followed by two reads. */
export const histories: fc.Arbitrary<readonly Step[]> = fc
  .array(fc.tuple(steps(writes), steps(reads), steps(reads)), { minLength: 1, maxLength: 70, size: 'max' })
  .map((parts) => parts.flat())
