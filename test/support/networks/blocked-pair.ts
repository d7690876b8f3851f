import { blocks, follows, likes } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../app.ts'
import { settledCursor } from '../graphql/changes.ts'
import { publish } from '../graphql/publish.ts'
import { setRelation } from '../graphql/relations.ts'

/** What one of two accounts did before one blocked the other. */
export type Side = {
  readonly viewer: Person
  /** A post of theirs, a reply to the other's post, and one to that of the third. */
  readonly post: string
  readonly reply: string
  readonly beside: string
  /** A reply of the third to their post. */
  readonly replied: string
}

async function sideOf(app: TestApp, viewer: Person, third: Person, post: string, postOfThird: string, others: string) {
  const reply = await publish(app, viewer, { content: `${viewer.username} replies`, parent: others })
  const beside = await publish(app, viewer, { content: `${viewer.username} beside`, parent: postOfThird })
  const replied = await publish(app, third, { content: 'third replies', parent: post })
  for (const uuid of [postOfThird, others, post]) await setRelation(app, viewer, likes, uuid)
  return { viewer, post, reply, beside, replied }
}

/**
 * Two accounts that follow and like one another and a third one, which does the same, and have replied; then the first blocks the
 * second.
 */
export async function blockedPair(app: TestApp, names: readonly [string, string, string]) {
  const [one, other, third] = [await app.person(names[0]), await app.person(names[1]), await app.person(names[2])]
  const all = [one, other, third]
  for (const follower of all)
    for (const followee of all) if (follower !== followee) await setRelation(app, follower, follows, followee.id)
  const start = await settledCursor(app, third)
  const postOf = (person: Person) => publish(app, person, { content: `${person.username} posts` })
  const [first, second, postOfThird] = [await postOf(one), await postOf(other), await postOf(third)]
  const sides = [
    await sideOf(app, one, third, first, postOfThird, second),
    await sideOf(app, other, third, second, postOfThird, first),
  ] as const
  await setRelation(app, third, likes, postOfThird)
  await setRelation(app, one, blocks, other.id)
  return { third, postOfThird, start, sides }
}
