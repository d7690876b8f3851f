import { z } from 'zod'
import type { Answer, Person, TestApp } from '../app.ts'
import { mutate } from './mutate.ts'

const profile = 'viewer { isPrivate followerCount editedAt version }'

/** Makes an account private, or opens it. */
export const setPrivate = (app: TestApp, person: Person, isPrivate = true): Promise<Answer> =>
  mutate(app, person, 'updateProfile', { isPrivate }, profile)

/** Creates a private account. */
export async function privateAccount(app: TestApp, username?: string): Promise<Person> {
  const person = await app.person(username)
  await setPrivate(app, person)
  return person
}

const both =
  'user { hasRequestedViewer followsViewer followingCount } viewer { followerCount followRequests { nodes { username } } }'

/** Accepts or declines the request of an account to follow a person. */
export const answerRequest = (app: TestApp, person: Person, { id: uuid }: Pick<Person, 'id'>, accepted = true) =>
  mutate(app, person, 'answerFollowRequest', { uuid, accepted }, both)

/** Ends that an account follows a person. */
export const removeFollower = (app: TestApp, person: Person, { id: uuid }: Pick<Person, 'id'>) =>
  mutate(app, person, 'removeFollower', { uuid }, both)

const names = z.object({ nodes: z.array(z.object({ username: z.string() })) })
const lists = z.object({ viewer: z.object({ followRequests: names, sentFollowRequests: names, followers: names }) })

/** Who asks to follow a person, whom the person asks, and who follows, by their usernames. */
export async function requestsOf(app: TestApp, { token }: Person) {
  const list = '{ nodes { username } }'
  const { data } = await app.graphql(
    token,
    `{ viewer { followRequests ${list} sentFollowRequests ${list} followers ${list} } }`,
  )
  const { followRequests, sentFollowRequests, followers } = lists.parse(data).viewer
  const namesIn = ({ nodes }: z.infer<typeof names>) => nodes.map(({ username }) => username)
  return { received: namesIn(followRequests), sent: namesIn(sentFollowRequests), followers: namesIn(followers) }
}
