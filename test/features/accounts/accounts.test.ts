import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopeEnumName } from '../../../src/engine/scopes.ts'
import { commonScopes } from '../../../src/features/base/scopes.ts'
import { admitting, sharing, startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf, outcomes } from '../../support/graphql/outcomes.ts'
import { password, personOf, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const users = () => app.database.write.prisma.user.count()
const inName = 'must not contain line breaks, control characters or bidirectional controls'
const control = 'must not contain control characters other than tab and line breaks'
const refusal = (errors: object[]) => [{ extensions: { code: 'VALIDATION_FAILED', errors } }]

describe('signing up', () => {
  test('creates an account and a token with every scope for 90 days', async () => {
    const { data, errors } = await app.graphql(
      undefined,
      `mutation ($input: SignUpInput!) {
        signUp(input: $input) {
          token
          accessToken { name scopes expiresAt createdAt lastUsedAt }
          viewer { username displayName email emailVerified bio followerCount followingCount badges { name } }
        }
      }`,
      { input: { username: 'Ada_1', email: 'Ada@Example.org', password, displayName: 'Ada 👩‍💻' } },
    )
    expect(errors).toEqual([])
    expect(data).toEqual({
      signUp: {
        token: expect.stringMatching(/^rookery_[\w-]{43}$/),
        accessToken: {
          name: expect.any(String),
          scopes: commonScopes.map(scopeEnumName),
          expiresAt: expect.any(String),
          createdAt: expect.any(String),
          lastUsedAt: null,
        },
        viewer: {
          username: 'Ada_1',
          displayName: 'Ada 👩‍💻',
          email: 'ada@example.org',
          emailVerified: false,
          bio: '',
          followerCount: 0,
          followingCount: 0,
          badges: [],
        },
      },
    })
    const token = await app.database.write.prisma.accessToken.findFirstOrThrow({
      where: { user: { username: 'Ada_1' } },
    })
    const days = ((token.expiresAt?.getTime() ?? 0) - token.createdAt.getTime()) / 86_400_000
    expect(days).toBeCloseTo(90, 2)
  })

  test('without a display name uses the username, and the token works on both APIs', async () => {
    const { token } = personOf(await signUp(app, { username: 'Grace', displayName: null }))
    const viewer = { username: 'Grace', displayName: 'Grace' }
    expect((await app.graphql(token, '{ viewer { username displayName } }')).data).toEqual({ viewer })
    expect(await (await app.rest(token, 'GET', '/user')).json()).toMatchObject({
      username: 'Grace',
      display_name: 'Grace',
    })
  })

  test.each([
    ['username', '', 'must have 1 to 30 characters of A-Z, a-z, 0-9 and _'],
    ['username', 'a'.repeat(31), 'must have 1 to 30 characters of A-Z, a-z, 0-9 and _'],
    ['username', 'ada lovelace', 'must have 1 to 30 characters of A-Z, a-z, 0-9 and _'],
    ['username', 'ada\n', 'must have 1 to 30 characters of A-Z, a-z, 0-9 and _'],
    ['username', 'admin', 'is reserved'],
    ['username', 'Api', 'is reserved'],
    ['password', '1234567', 'must have 8 to 128 characters'],
    ['password', 'x'.repeat(129), 'must have 8 to 128 characters'],
    ['password', '        ', 'must not be blank'],
    ['password', 'a\0bcdefgh', control],
    ['password', '\u200b'.repeat(8), 'must not be blank'],
    ['displayName', ' \u3000\u2800\ufe0f', 'must not be blank'],
    ...['kneh\u202e', 'Ada\n@admin', 'Ada\u2028@admin', '\u009b31mAda', 'a\u001b'].map((name) => [
      'displayName',
      name,
      inName,
    ]),
    ['displayName', 'a\ud800', 'must not contain a lone surrogate'],
  ])('refuses the %s %j: it %s', async (field, value, message) => {
    const before = await users()
    const { data, errors } = await signUp(app, { username: 'somebody', [field]: value })
    expect(data).toBeNull()
    expect(errors).toMatchObject(refusal([{ field, message }]))
    expect(await users()).toBe(before)
  })

  test.each(['', 'ada', 'ada@', 'ada @example.org', 'ada@example.org\0', `${'a'.repeat(250)}@example.org`])(
    'refuses the e-mail %j',
    async (email) => {
      const { data, errors } = await signUp(app, { username: 'somebody', email })
      expect(data).toBeUndefined()
      expect(errors).toMatchObject(refusal([{ field: expect.stringMatching(/email$/), message: expect.any(String) }]))
    },
  )

  test('accepts the maximum length of every field', async () => {
    const longest = { username: 'z'.repeat(30), displayName: '😀'.repeat(50), password: '😀'.repeat(128) }
    expect(outcomeOf(await signUp(app, longest))).toBe('DONE')
    expect(outcomeOf(await signUp(app, { username: '_', password: 'kX4-m2Lq' }))).toBe('DONE')
  })

  test('with a taken username is refused, regardless of case', async () => {
    const { id } = personOf(await signUp(app, { username: 'Hedy' }))
    for (const username of ['Hedy', 'hedy', 'HEDY']) {
      const { data, errors } = await signUp(app, { username })
      expect(data).toBeNull()
      expect(errors).toMatchObject([{ message: 'This username is taken.', extensions: { code: 'CONFLICT' } }])
    }
    const left = await app.database.write.prisma.user.findMany({
      where: { username: { equals: 'hedy', mode: 'insensitive' } },
    })
    expect(left).toMatchObject([{ id, username: 'Hedy' }])
  })

  test('concurrently with the same username succeeds once', async () => {
    const names = ['Emmy', 'emmy', 'EMMY', 'eMMy']
    const answers = names.map((username) => signUp(app, { username, email: `${username}@example.org` }))
    expect(await outcomes(answers)).toEqual({ DONE: 1, CONFLICT: 3 })
    const left = await app.database.write.prisma.user.findMany({
      where: { username: { equals: 'emmy', mode: 'insensitive' } },
      include: { accessTokens: true },
    })
    expect(left).toMatchObject([{ accessTokens: [{ name: expect.any(String) }] }])
  })
})

test('an account is found by its username in any case, with or without @', async () => {
  const { id, token } = await app.person('Katherine')
  const find = async (...usernames: string[]) =>
    app.graphql(token, `query ($by: UserBy!, $all: [UserBy!]!) { user(by: $by) { uuid } users(by: $all) { uuid } }`, {
      by: { username: usernames[0] },
      all: usernames.map((username) => ({ username })),
    })
  const found = { uuid: id }
  expect(await find('@katherine', 'KATHERINE', '@Katherine')).toMatchObject({
    errors: [],
    data: { user: found, users: [found, found, found] },
  })
  expect(await find('@@katherine', '@', 'katherine@', ' katherine')).toMatchObject({
    errors: [],
    data: { user: null, users: [null, null, null, null] },
  })
})

test('closed sign-up refuses everyone and writes nothing', async () => {
  const closed = await startApp(admitting({ signUp: 'closed' }), sharing(app))
  const before = await users()
  const { data, errors } = await signUp(closed, { username: 'nobody_yet' })
  expect(data).toBeNull()
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  expect(await users()).toBe(before)
  await closed.close()
})

describe('changing the profile', () => {
  const update = (token: string, input: object) =>
    app.graphql(
      token,
      'mutation ($input: UpdateProfileInput!) { updateProfile(input: $input) { viewer { displayName bio } } }',
      {
        input,
      },
    )

  test('changes the given fields and keeps the rest', async () => {
    const { token, username } = await app.person()
    for (const [input, viewer] of [
      [{ bio: ' I ❤️ birds.\n' }, { displayName: username, bio: ' I ❤️ birds.\n' }],
      [
        { displayName: 'Ada L.', bio: null },
        { displayName: 'Ada L.', bio: ' I ❤️ birds.\n' },
      ],
      [
        { displayName: '😀'.repeat(50), bio: '😀'.repeat(500) },
        { displayName: '😀'.repeat(50), bio: '😀'.repeat(500) },
      ],
      [{ bio: '\u202eada' }, { displayName: '😀'.repeat(50), bio: '\u202eada' }],
      [{ bio: '' }, { displayName: '😀'.repeat(50), bio: '' }],
      [{ displayName: 'می\u200cخواهم' }, { displayName: 'می\u200cخواهم', bio: '' }],
    ]) {
      expect((await update(token, input ?? {})).data).toEqual({ updateProfile: { viewer } })
      expect((await app.graphql(token, '{ viewer { displayName bio } }')).data).toEqual({ viewer })
    }
  })

  test.each([
    {
      input: { username: 'ada lovelace' },
      field: 'username',
      message: 'must have 1 to 30 characters of A-Z, a-z, 0-9 and _',
    },
    { input: { username: 'Admin', bio: 'Here' }, field: 'username', message: 'is reserved' },
    { input: { displayName: '' }, field: 'displayName', message: 'must not be blank' },
    { input: { displayName: '\u2067ada' }, field: 'displayName', message: inName },
    { input: { bio: 'a\u000b' }, field: 'bio', message: control },
    { input: { bio: '😀'.repeat(501) }, field: 'bio', message: 'must have at most 500 characters' },
    { input: { bio: '\udc00' }, field: 'bio', message: 'must not contain a lone surrogate' },
    { input: {}, field: 'displayName', message: 'is required unless the request changes something else' },
  ])('is refused if $field is invalid: $message', async ({ input, field, message }) => {
    const { token, username } = await app.person()
    const { data, errors } = await update(token, input)
    expect(data).toBeNull()
    expect(errors).toMatchObject(refusal([{ field, message }]))
    expect((await app.graphql(token, '{ viewer { displayName bio } }')).data).toEqual({
      viewer: { displayName: username, bio: '' },
    })
  })
})

const urlOf = (hashed: string) =>
  `https://www.gravatar.com/avatar/${createHash('sha256').update(hashed).digest('hex')}?d=identicon`

test.each(['gravatar', 'identicon'] as const)(
  'with AVATAR=%s, both APIs show the avatar that it names',
  async (avatar) => {
    const other = await startApp({ avatar }, sharing(app))
    const { id, token } = personOf(await signUp(other, { username: `with_${avatar}`, email: 'Ada@Example.org' }))
    const url = urlOf(avatar === 'gravatar' ? 'ada@example.org' : id)
    expect((await other.graphql(token, '{ viewer { avatar } }')).data).toEqual({ viewer: { avatar: url } })
    expect(await (await other.rest(token, 'GET', '/user')).json()).toMatchObject({ avatar: url })
    await other.close()
  },
)
