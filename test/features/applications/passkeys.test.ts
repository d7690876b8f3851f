import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxPasskeys } from '../../../src/features/accounts/second-factor/passkeys.ts'
import { removeSecondFactorOf } from '../../../src/features/accounts/second-factor/setup.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { addSecondFactor, challengeFor, confirmSignIn, type Factor } from '../../support/graphql/second-factor.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { Authenticator, askedBy } from '../../support/oauth/authenticator.ts'
import { headingOf, type Loaded, OAuthBrowser, problemOf } from '../../support/oauth/browser.ts'
import { authorize, fixedClient, personWithPassword } from '../../support/oauth/client.ts'

let app: TestApp
let other: TestApp
beforeAll(async () => {
  app = await startApp({ signInLimits: undefined, mail: { signInNotice: false } })
  other = await startApp({ signInLimits: undefined }, sharing(app))
})
afterAll(async () => {
  await other.close()
  await app.close()
})

/** Where a browser has passkeys: at a name, not an address. */
const originOf = (server: TestApp) => server.origin.replace('127.0.0.1', 'localhost')
const page = (server = app) => `${originOf(server)}/oauth/second-factor`

/** Signs in with the password, up to the question for a code or passkey. */
async function ask(username: string, browser = new OAuthBrowser(originOf(app))): Promise<Loaded> {
  return browser.submit(await browser.open(page()), { username, password })
}

/** Somebody with a second factor, and a browser that is signed in at its page. */
async function protectedPerson(username: string) {
  const person = await personWithPassword(app, username)
  const factor = await addSecondFactor(app, person)
  const browser = new OAuthBrowser(originOf(app))
  const [code = '', ...recoveryCodes] = factor.recoveryCodes
  const home = await browser.submit(await ask(username, browser), { code })
  return { ...person, ...factor, recoveryCodes, browser, home }
}
type Protected = Person & Factor & { readonly browser: OAuthBrowser; readonly home: Loaded }

/** Asks to add a passkey. */
const begin = ({ browser, home }: Protected, code = '', name = 'Key') =>
  browser.submit(home, { action: 'begin', name, code, password })

/** Somebody whose second factor has a passkey. */
async function personWithPasskey(username: string) {
  const person = await protectedPerson(username)
  const [code, ...recoveryCodes] = person.recoveryCodes
  const authenticator = new Authenticator()
  const asked = await begin(person, code)
  const home = await person.browser.submit(asked, { credential: authenticator.create(asked) })
  return { ...person, recoveryCodes, authenticator, home }
}

const passkeysOf = ({ id: userId }: Person) => app.database.write.prisma.passkey.findMany({ where: { userId } })
const removalOf = ({ id }: Authenticator) => `remove-passkey:${id}`
const notAccepted = 'The passkey was not accepted. Try again, or enter a code.'

test('people add a passkey, sign in with it instead of a code, and remove it', async () => {
  const person = await personWithPasskey('robin')
  expect(headingOf(person.home)).toBe('Your second factor')
  expect(await passkeysOf(person)).toMatchObject([{ name: 'Key', transports: ['usb'], counter: 1n, lastUsedAt: null }])
  const { data } = await app.graphql(person.token, '{ secondFactor { passkeys recoveryCodesLeft } }')
  expect(data).toEqual({ secondFactor: { passkeys: 1, recoveryCodesLeft: 8 } })

  const browser = new OAuthBrowser(originOf(app))
  const asked = await ask('robin', browser)
  expect(headingOf(asked)).toBe('Confirm that it is you')
  const policy = asked.headers.get('content-security-policy')?.split('; ')
  expect(policy).toEqual(expect.arrayContaining(["script-src 'self'", "require-trusted-types-for 'script'"]))
  const signedIn = await browser.submit(asked, { credential: person.authenticator.get(asked) })
  expect(headingOf(signedIn)).toBe('Your second factor')
  expect(await passkeysOf(person)).toMatchObject([{ counter: 2n, lastUsedAt: expect.any(Date) }])

  const [code = ''] = person.recoveryCodes
  const kept = await browser.submit(signedIn, { action: removalOf(person.authenticator), code: 'wrong', password })
  expect(problemOf(kept)).toBe('code: This is wrong or was already used.')
  await browser.submit(kept, { action: removalOf(person.authenticator), code, password })
  expect(await passkeysOf(person)).toEqual([])
  expect(headingOf(await ask('robin'))).toBe('Enter a code')
})

test('a form without a choice, or with an unknown one, changes nothing and uses no code', async () => {
  const person = await personWithPasskey('vague')
  const [code = ''] = person.recoveryCodes
  for (const action of ['', 'nothing', person.authenticator.id, 'remove-passkey', 'remove-passkey:']) {
    const answer = await person.browser.submit(person.home, { action, code, password })
    expect([action, answer.status, problemOf(answer)]).toEqual([action, 422, 'Choose what you want to do.'])
  }
  expect(await passkeysOf(person)).toHaveLength(1)
  const where = { userId: person.id }
  expect(await app.database.write.prisma.recoveryCode.count({ where })).toBe(person.recoveryCodes.length)
})

test('an application connects after the password and a passkey', async () => {
  const { authenticator } = await personWithPasskey('wren')
  const client = await fixedClient(app, await app.person())
  const { browser, end } = await authorize({ origin: originOf(app) }, client, 'wren', {
    browser: new OAuthBrowser(originOf(app)),
  })
  expect(headingOf(await browser.submit(end, { credential: authenticator.get(end) }))).toMatch(/^Connect /)
})

test('the owner is told of a new passkey, and of its removal', async () => {
  const person = await protectedPerson('told')
  const { prisma } = app.database.write
  await prisma.user.update({ where: { id: person.id }, data: { emailVerified: true } })
  const [code, next = ''] = person.recoveryCodes
  const [asked, authenticator] = [await begin(person, code), new Authenticator()]
  const home = await person.browser.submit(asked, { credential: authenticator.create(asked) })
  await person.browser.submit(home, { action: removalOf(authenticator), code: next, password })
  const jobs = await prisma.job.findMany({ where: { key: { contains: person.id } } })
  const topics = jobs.map(({ key }) => key.split(' ')[0])
  expect(topics).toEqual(expect.arrayContaining(['passkey-notice', 'passkey-removal-notice']))
})

describe('a sign-in with a passkey is refused', () => {
  test('for another origin, server, challenge or kind of answer, and for what is no answer', async () => {
    const { authenticator } = await personWithPasskey('ada')
    const browser = new OAuthBrowser(originOf(app))
    const asked = await ask('ada', browser)
    const right = JSON.parse(authenticator.get(asked))
    const earlier = authenticator.get(await ask('ada'))
    const refused = [
      authenticator.get(asked, { origin: 'https://phish.example' }),
      authenticator.get(asked, { rpId: 'phish.example' }),
      authenticator.get(asked, { challenge: askedBy(await ask('ada')).challenge }),
      earlier,
      authenticator.create(asked),
      JSON.stringify({ ...right, response: { ...right.response, signature: right.response.authenticatorData } }),
      JSON.stringify({ ...right, id: '' }),
      JSON.stringify({ ...right, id: '\u0001' }),
      JSON.stringify({ id: right.id }),
      ...['{', 'null', '[]', '"text"', '5', '[[[['],
    ]
    for (const credential of refused) {
      const answer = await browser.submit(asked, { credential })
      expect([credential, answer.status, problemOf(answer)]).toEqual([credential, 422, notAccepted])
    }
    const long = await browser.submit(asked, { credential: 'x'.repeat(2_049) })
    expect([long.status, (await browser.submit(asked, { credential: 'x'.repeat(10_000) })).status]).toEqual([400, 413])
    const [signedIn] = [await browser.submit(asked, { credential: authenticator.get(asked) })]
    expect(headingOf(signedIn)).toBe('Your second factor')
  })

  test('with the passkey of somebody else', async () => {
    const [, eve] = [await personWithPasskey('victim'), await personWithPasskey('eve')]
    const browser = new OAuthBrowser(originOf(app))
    const asked = await ask('victim', browser)
    expect(problemOf(await browser.submit(asked, { credential: eve.authenticator.get(asked) }))).toBe(notAccepted)
  })

  test('when the counter goes back, as that of a copy does', async () => {
    const person = await personWithPasskey('copied')
    const browser = new OAuthBrowser(originOf(app))
    const asked = await ask('copied', browser)
    await browser.submit(asked, { credential: person.authenticator.get(asked, { counter: 8 }) })
    for (const counter of [0, 7, 8]) {
      const again = await ask('copied')
      const answer = await browser.submit(again, { credential: person.authenticator.get(again, { counter }) })
      expect(problemOf(answer)).toBe(notAccepted)
    }
    expect(await passkeysOf(person)).toMatchObject([{ counter: 8n }])
  })

  test('after the challenge has expired', async () => {
    const person = await personWithPasskey('slow')
    const browser = new OAuthBrowser(originOf(app))
    const asked = await ask('slow', browser)
    const where = { userId: person.id }
    await app.database.write.prisma.signInChallenge.updateMany({ where, data: { expiresAt: new Date() } })
    const late = await browser.submit(asked, { credential: person.authenticator.get(asked) })
    expect([headingOf(late), problemOf(late)]).toEqual(['Sign in', 'This took too long. Sign in again.'])
  })

  test('for all but one of those with one challenge at once in two processes', async () => {
    const { authenticator } = await personWithPasskey('double')
    const browsers = [app, other, app, other].map((server) => new OAuthBrowser(originOf(app), originOf(server)))
    const asked = await ask('double')
    const answers = await Promise.all(
      browsers.map((browser, nth) =>
        browser.submit(asked, { credential: authenticator.get(asked, { counter: 5 + nth }) }),
      ),
    )
    expect(answers.map(headingOf).filter((it) => it === 'Your second factor')).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]))
  })
})

test('authenticators that do not count sign in again and again', async () => {
  const { authenticator, id } = await personWithPasskey('uncounted')
  await app.database.write.prisma.passkey.updateMany({ where: { userId: id }, data: { counter: 0 } })
  for (const _ of [1, 2]) {
    const browser = new OAuthBrowser(originOf(app))
    const asked = await ask('uncounted', browser)
    const signedIn = await browser.submit(asked, { credential: authenticator.get(asked, { counter: 0 }) })
    expect(headingOf(signedIn)).toBe('Your second factor')
  }
})

describe('a passkey is not added', () => {
  test('without password and code, without a name, or with an answer of another origin or server', async () => {
    const person = await protectedPerson('grace')
    const [code = ''] = person.recoveryCodes
    expect(problemOf(await begin(person, 'wrong'))).toBe('code: This is wrong or was already used.')
    const unproved = await person.browser.submit(person.home, { action: 'begin', name: 'Key', code, password: 'wrong' })
    expect(problemOf(unproved)).toBe('password: This is wrong.')
    expect(problemOf(await begin(person, code, ' '))).toMatch(/^name: This must /)
    const asked = await begin(person, code)
    const authenticator = new Authenticator()
    for (const forged of [{ origin: 'https://phish.example' }, { rpId: 'phish.example' }, { challenge: 'AAAA' }]) {
      const answer = await person.browser.submit(asked, { credential: authenticator.create(asked, forged) })
      expect(problemOf(answer)).toBe('The passkey was not accepted.')
    }
    expect(await passkeysOf(person)).toEqual([])
  })

  test('with a challenge of a sign-in or of somebody else, twice with one, or after a removal', async () => {
    const [person, eve] = [await protectedPerson('mary'), await protectedPerson('mallory')]
    const asked = await begin(person, person.recoveryCodes[0])
    const authenticator = new Authenticator()
    const unusable = 'This took too long. Try again.'
    const credential = authenticator.create(asked)
    expect(problemOf(await eve.browser.submit(asked, { credential }))).toBe(unusable)

    // The password alone gets this one.
    const challenge = await challengeFor(app, person)
    const encoded = { challenge: Buffer.from(challenge).toString('base64url') }
    const unproved = await person.browser.submit(asked, { challenge, credential: authenticator.create(asked, encoded) })
    expect(problemOf(unproved)).toBe(unusable)

    const adding = Buffer.from(askedBy(asked).challenge, 'base64url').toString()
    expect(outcomeOf(await confirmSignIn(app, adding, person.recoveryCodes[1] ?? ''))).toBe('VALIDATION_FAILED')

    await person.browser.submit(asked, { credential })
    expect(problemOf(await person.browser.submit(asked, { credential: new Authenticator().create(asked) }))).toBe(
      unusable,
    )
    const later = await begin(person, person.recoveryCodes[2])
    expect(await removeSecondFactorOf(app.database, person.id, false)).toBe(true)
    await person.browser.submit(later, { credential: new Authenticator().create(later) })
    expect(await passkeysOf(person)).toEqual([])
  })

  test('twice with one challenge, even at once', async () => {
    const person = await protectedPerson('hasty')
    const asked = await begin(person, person.recoveryCodes[0])
    const credentials = [1, 2, 3, 4].map(() => new Authenticator().create(asked))
    await Promise.all(credentials.map((credential) => person.browser.submit(asked, { credential })))
    expect(await passkeysOf(person)).toHaveLength(1)
  })

  test('to a second account', async () => {
    const [first, second] = [await personWithPasskey('first'), await protectedPerson('second')]
    const asked = await begin(second, second.recoveryCodes[0])
    const answer = await second.browser.submit(asked, { credential: first.authenticator.create(asked) })
    expect(problemOf(answer)).toBe('This passkey was added before.')
    expect([await passkeysOf(first), await passkeysOf(second)]).toMatchObject([[{ name: 'Key' }], []])
  })

  test(`beside ${maxPasskeys} others, even at once`, async () => {
    const person = await personWithPasskey('collector')
    const { prisma } = app.database.write
    const [asked, again] = [await begin(person, person.recoveryCodes[0]), await begin(person, person.recoveryCodes[1])]
    const [known] = await passkeysOf(person)
    if (!known) throw new TypeError('There is no passkey.')
    const more = Array.from({ length: maxPasskeys - 2 }, (_, nth) => ({ ...known, id: Uint8Array.of(nth) }))
    await prisma.passkey.createMany({ data: more })
    const answers = await Promise.all(
      [asked, again].map((it) => person.browser.submit(it, { credential: new Authenticator().create(it) })),
    )
    const problem = 'An account can have 10 passkeys: remove one first.'
    expect(answers.map(problemOf).toSorted()).toEqual([problem, undefined])
    expect(problemOf(await begin(person, person.recoveryCodes[2]))).toBe(problem)
    expect(await passkeysOf(person)).toHaveLength(maxPasskeys)
  })
})

test('a server at an IP address offers no passkeys', async () => {
  const person = await personWithPasskey('numeric')
  const browser = new OAuthBrowser(app.origin)
  const asked = await browser.submit(await browser.open(`${app.origin}/oauth/second-factor`), {
    username: 'numeric',
    password,
  })
  expect(headingOf(asked)).toBe('Enter a code')
  const home = await browser.submit(asked, { code: person.recoveryCodes[0] ?? '' })
  expect(home.text).not.toContain('Add a passkey')
  const asking = { action: 'begin', name: 'Key', code: person.recoveryCodes[1] ?? '', password }
  expect(problemOf(await browser.submit(home, asking))).toBe('Choose what you want to do.')
})
