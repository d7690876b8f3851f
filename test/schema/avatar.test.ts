import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, sharing, startApp, type TestApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'
import { password } from '../support/sign-in.ts'

const urlOf = (hashed: string) =>
  `https://www.gravatar.com/avatar/${createHash('sha256').update(hashed).digest('hex')}?d=identicon`

const shown = z.object({ avatar: z.url() })
const signedUp = z.object({
  signUp: z.object({ token: z.string(), viewer: shown.extend({ uuid: z.uuid(), username: z.string() }) }),
})
const read = z.object({ viewer: shown, user: shown, post: z.object({ author: shown }) })

/** A new account, with the avatar in its sign-up payload. */
async function newcomer(app: TestApp, username: string): Promise<Person & { readonly avatar: string }> {
  const document = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token viewer { uuid username avatar } } }'
  const input = { username, email: 'Ada@Example.org', password }
  const { token, viewer } = signedUp.parse((await app.graphql(undefined, document, { input })).data).signUp
  return { id: viewer.uuid, username: viewer.username, token, avatar: viewer.avatar }
}

/** The distinct avatars of a user in all places that show one. */
async function avatarsOf(app: TestApp, { username, token, avatar }: Person & { readonly avatar: string }) {
  const post = await publish(app, { token })
  const document = `query ($post: UUID!, $user: String!) {
    viewer { avatar } user(by: { username: $user }) { avatar } post(uuid: $post) { author { avatar } }
  }`
  const {
    viewer,
    user,
    post: { author },
  } = read.parse((await app.graphql(token, document, { post, user: username })).data)
  const rest = shown.parse(await (await app.rest(token, 'GET', '/user')).json())
  return new Set([avatar, viewer.avatar, user.avatar, author.avatar, rest.avatar])
}

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('an avatar is the Gravatar of the e-mail address by default', async () => {
  const ada = await newcomer(app, 'Ada')
  expect(await avatarsOf(app, ada)).toEqual(new Set([urlOf('ada@example.org')]))
})

test('with AVATAR=identicon an avatar reveals nothing about the e-mail address', async () => {
  const other = await startApp({ avatar: 'identicon' }, sharing(app))
  const grace = await newcomer(other, 'Grace')
  expect(await avatarsOf(other, grace)).toEqual(new Set([urlOf(grace.id)]))
  await other.close()
})
