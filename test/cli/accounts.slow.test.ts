import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrationsFolder, readMigrations } from '../../src/engine/data/migration-files.ts'
import type { TestApp } from '../support/app.ts'
import { admitting } from '../support/app.ts'
import { outcomeOf } from '../support/graphql/outcomes.ts'
import { signIn } from '../support/graphql/sign-in.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { runCommand } from '../support/processes/rookery-command.ts'
import { runRookery } from '../support/processes/rookery-process.ts'

const oneLine = (start: string) => expect.stringMatching(new RegExp(`^${start}.*\\n$`))
const aMissingUuid = '019ab2c4-0000-7000-8000-000000000000'
const aUuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** Joiners of emoji and Persian words are no control characters. */
const name = 'Robin 👩‍💻 می‌خواهم'
/** A name stored before characters that color a terminal or reverse the line were refused. */
const olderName = 'Robin 👩‍💻 می‌خواهم \u001b[31m\u009b31m\u202e'
const aToken = expect.stringMatching(/^rookery_[\w-]{43}$/)

describe('account and token commands', { timeout: 300_000 }, () => {
  let database: CommandDatabase
  let env: Record<string, string>
  let app: TestApp

  /** Runs a command that must succeed, and returns the JSON that it prints. */
  async function json(args: readonly string[], input?: string) {
    const { code, stdout, stderr } = await runCommand([...args, '--json'], env, input)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  async function statusOf(token: string, path: string): Promise<number> {
    return (await app.rest(token, 'GET', path)).status
  }

  beforeAll(async () => {
    database = await commandDatabase()
    env = database.env
  })
  afterAll(async () => {
    await app.close()
    await database.remove()
  }, 120_000)

  test('migrate and seed a new database and report it', async () => {
    const names = (await readMigrations(migrationsFolder)).map(({ name }) => name)
    const first = await runRookery(['migrate'], env)
    const applied = names.map((name) => `Applied ${name}.\n`).join('')
    expect(first).toEqual({ code: 0, stdout: `${applied}The database is up to date.\n`, stderr: '' })
    app = await database.serve(admitting({ signUp: 'closed' }))
    expect(await json(['migrate'])).toEqual({ applied: [] })
    const size = ['--users', '20', '--posts', '100', '--likes', '50', '--follows', '50', '--seed', '-7']
    expect(await json(['seed', ...size])).toEqual({ users: 20, posts: 100, likes: 50, follows: 50, seed: -7 })
    const [again, large] = await Promise.all([
      runCommand(['seed'], env),
      runCommand(['seed', '--users', '2', '--likes', '999', '--follows', '9', '--json'], env),
    ])
    expect(again).toEqual({ code: 1, stdout: '', stderr: oneLine('The database has users already') })
    expect(large.code).toBe(2)
    const { error } = JSON.parse(large.stderr)
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'likes' }, { field: 'follows' }] })
  })

  test('list every account once, newest first, in pages', async () => {
    const names: string[] = []
    let next: string | null = null
    do {
      const page = await json(['user', 'list', '--limit', '12', ...(next === null ? [] : ['--after', next])])
      expect(page.users.length).toBeLessThanOrEqual(12)
      expect(page.users[0]).toEqual({
        uuid: aUuid,
        username: expect.any(String),
        displayName: expect.any(String),
        joinedAt: aTime,
        suspendedAt: null,
        moderatorSince: null,
      })
      names.push(...page.users.map(({ username }: { username: string }) => username))
      next = page.next
    } while (next !== null)
    expect(new Set(names).size).toBe(20)
    expect(names.at(-1)).toBe('ada')
    const { stdout } = await runCommand(['user', 'list', '--limit', '1'], env)
    expect(stdout).toMatch(
      /^UUID +JOINED +SUSPENDED +USERNAME +NAME\n.*\n\nMore: rookery user list --limit 1 --after [0-9a-f-]{36}\n$/,
    )
    expect(stdout).toContain(` ${names[0]} `)
  })

  test('create accounts that can sign in, with a password from stdin or a generated one', async () => {
    const withPassword = ['user', 'create', 'robin', '--email', 'robin@localhost', '--password-stdin']
    const [robin, wren] = await Promise.all([
      // Windows PowerShell writes a byte order mark first.
      json([...withPassword, '--name', name], '\ufeffcorrect horse\r\nand more'),
      json(['user', 'create', '@wren', '--email', 'wren@example.org']),
    ])
    expect(robin).toEqual({ uuid: aUuid, username: 'robin', password: null })
    expect(wren).toEqual({ uuid: aUuid, username: 'wren', password: expect.stringMatching(/^[\w-]{24}$/) })

    expect(outcomeOf(await signIn(app, 'robin', 'correct horse'))).toBe('DONE')
    expect(outcomeOf(await signIn(app, 'robin', 'correct'))).toBe('INVALID_CREDENTIALS')
    expect(outcomeOf(await signIn(app, 'wren', wren.password))).toBe('DONE')
  })

  test('show an account without control or bidirectional characters', async () => {
    const where = { username: 'robin', displayName: name }
    const data = { displayName: olderName, bio: 'Sings.\r\nAll\tday.' }
    await app.database.write.prisma.user.updateMany({ where, data })
    const account = await json(['user', 'show', '@ROBIN'])
    expect(account).toEqual({
      uuid: aUuid,
      username: 'robin',
      displayName: olderName,
      email: 'robin@localhost',
      emailVerified: false,
      bio: data.bio,
      badges: [],
      followers: 0,
      following: 0,
      joinedAt: aTime,
      invitedById: null,
      inviter: null,
      editedAt: aTime,
      suspendedAt: null,
      moderatorSince: null,
      formerUsername: null,
      hasPassword: true,
      hasSecondFactor: false,
      language: null,
      readingLanguages: [],
      liveTokens: 1,
    })
    const [list, shown, text] = await Promise.all([
      runCommand(['user', 'list'], env),
      runCommand(['user', 'show', 'robin', '--json'], env),
      runCommand(['user', 'show', 'robin'], env),
    ])
    expect(text.stdout).toContain('Bio        Sings. All day.\n')
    expect(list.stdout).toContain(' Robin 👩‍💻 می‌خواهم \ufffd[31m\ufffd31m\ufffd\n')
    for (const { code, stdout } of [list, shown, text]) {
      expect(code).toBe(0)
      expect(stdout).toContain('Robin')
      for (const control of ['\u001b', '\u009b', '\u202e']) expect(stdout).not.toContain(control)
    }
  })

  test('show who invited an account', async () => {
    const { user } = app.database.write.prisma
    const { id } = await user.findFirstOrThrow({ where: { username: 'robin' } })
    await user.updateMany({ where: { username: 'wren' }, data: { invitedById: id } })
    expect(await json(['user', 'show', 'wren'])).toMatchObject({ invitedById: id, inviter: 'robin' })
    expect((await runCommand(['user', 'show', 'wren'], env)).stdout).toMatch(/^Inviter +robin$/m)
    // One that was deleted.
    await user.updateMany({ where: { username: 'wren' }, data: { invitedById: aMissingUuid } })
    expect(await json(['user', 'show', 'wren'])).toMatchObject({ invitedById: aMissingUuid, inviter: null })
    expect((await runCommand(['user', 'show', 'wren'], env)).stdout).toMatch(/^Inviter +019ab2c4-0000-/m)
  })

  test('invite somebody, and revoke the invitation', async () => {
    const made = await json(['invitation', 'create', '--uses', '3', '--days', '90'])
    expect(made).toMatchObject({
      uuid: aUuid,
      link: expect.stringMatching(`/sign-up\\?invitation=${made.code}$`),
      maxUses: 3,
    })
    const { invitations } = await json(['invitation', 'list'])
    const row = { uuid: made.uuid, creator: null, maxUses: 3, uses: 0, createdAt: aTime, expiresAt: aTime }
    expect(invitations).toEqual([row])
    expect(await json(['invitation', 'revoke', made.uuid])).toEqual({ uuid: made.uuid })
    expect(await json(['invitation', 'list'])).toEqual({ invitations: [], next: null })
    const useless = await runCommand(['invitation', 'create'], { ...env, SIGN_UP: 'closed' })
    expect(useless).toMatchObject({ code: 0, stderr: 'Nobody can sign up with it while SIGN_UP=closed.\n' })
  })

  test('rename an account at any time, and show its former one', async () => {
    const uuid = aUuid
    expect(await json(['user', 'rename', '@wren', '@Jenny'])).toEqual({ uuid, username: 'Jenny' })
    const { code, stdout } = await runCommand(['user', 'rename', 'jenny', 'jenny_wren'], env)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'jenny is now jenny_wren.\n' })
    const { username, formerUsername } = await json(['user', 'show', 'JENNY_WREN'])
    expect(username).toBe('jenny_wren')
    expect(formerUsername).toEqual({ username: 'jenny', leftAt: aTime, keptUntil: aTime })
    const shown = await runCommand(['user', 'show', 'jenny_wren'], env)
    expect(shown.stdout).toMatch(/^Formerly +jenny \(until [^)]+\)$/m)
    for (const [args, code, named] of [
      [['robin', 'jenny'], 1, 'CONFLICT'],
      [['robin', 'ro bin'], 2, 'VALIDATION_FAILED'],
      [['nobody', 'somebody'], 1, 'NOT_FOUND'],
    ] as const) {
      const refused = await runCommand(['user', 'rename', ...args, '--json'], env)
      expect(refused).toMatchObject({ code, stdout: '' })
      expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: named } })
    }
    const commands = [
      ...['show', 'rename', 'export', 'suspend --reason x', 'reinstate', 'promote', 'demote', 'delete --yes'],
      ...['verify', 'reset-password', 'remove-second-factor'],
    ]
    for (const args of [
      ...commands.map((it) => ['user', ...it.split(' '), 'Jenny']),
      ['token', 'create', 'Jenny'],
      ['token', 'list', 'Jenny'],
      ['token', 'revoke', '--all-of', 'Jenny'],
    ]) {
      const refused = await runCommand(args.includes('rename') ? [...args, 'other'] : args, env)
      const stderr = 'Jenny is a former username: the account is jenny_wren now.\n'
      expect([args, refused]).toEqual([args, { code: 1, stdout: '', stderr }])
    }
    expect(await json(['user', 'rename', 'jenny_wren', 'wren'])).toEqual({ uuid, username: 'wren' })
  })

  test.each([
    [['robin', '--email', 'r@example.org'], 1, 'CONFLICT'],
    [['ro bin', '--email', 'r@example.org'], 2, 'VALIDATION_FAILED'],
    [['short', '--email', 'r@example.org', '--password-stdin'], 2, 'VALIDATION_FAILED'],
    [['nobody', '--email', 'nowhere'], 2, 'VALIDATION_FAILED'],
  ])('do not create %j', async (args, code, named) => {
    const refused = await runCommand(['user', 'create', ...args, '--json'], env, 'short\n')
    expect(refused).toMatchObject({ code, stdout: '' })
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: named } })
  })

  test('reject a password that never ends, or that is not UTF-8', async () => {
    const args = ['user', 'create', 'endless', '--email', 'e@example.org', '--password-stdin']
    const endless = await runRookery(args, env, undefined, ['sh', '-c', 'yes | tr -d "\\n" | "$@"', 'sh'])
    expect(endless).toEqual({ code: 2, stdout: '', stderr: 'password must have 8 to 128 characters\n' })
    const latin = await runCommand(args, env, Buffer.from('pässwörter\n', 'latin1'))
    expect(latin).toEqual({ code: 2, stdout: '', stderr: 'password must be UTF-8\n' })
  })

  test('issue, list and revoke a token', async () => {
    const narrow = await json(['token', 'create', 'ADA', '--scopes', 'post.get, reply.get', '--name', 'Reader'])
    expect(narrow).toEqual({
      token: aToken,
      uuid: aUuid,
      name: 'Reader',
      scopes: ['post.get', 'reply.get'],
      expiresAt: aTime,
    })
    const { stdout } = await runRookery(['token', 'create', '@ada', '--no-expiry'], env)
    expect(stdout).toMatch(/^rookery_[\w-]{43}\n$/)
    const wide = stdout.trim()

    const missing = '/post/019ab2c4-0000-7000-8000-000000000000'
    expect(await statusOf(narrow.token, '/user')).toBe(403)
    expect(await statusOf(narrow.token, missing)).toBe(404)
    expect(await statusOf(wide, '/user')).toBe(200)

    const { tokens, next } = await json(['token', 'list', 'ada', '--limit', '1'])
    expect(tokens).toMatchObject([{ name: 'Command line', expiresAt: null, lastUsedAt: aTime, application: null }])
    const rest = await json(['token', 'list', 'ada', '--after', next])
    expect(rest).toMatchObject({ tokens: [{ uuid: narrow.uuid, createdAt: aTime }], next: null })
    expect((await runCommand(['token', 'list', 'ada'], env)).stdout).toMatch(
      /^UUID .*\n.* all +Command line\n.* post\.get,reply\.get +Reader\n$/,
    )

    const unknown = await runCommand(['token', 'revoke', narrow.uuid, aMissingUuid], env)
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: oneLine('There is no such access token') })
    expect(await json(['token', 'revoke', narrow.uuid])).toEqual({ revoked: 1 })
    expect(await json(['token', 'revoke', '--all-of', 'ada'])).toEqual({ revoked: 1 })
    expect(await json(['token', 'list', 'ada'])).toEqual({ tokens: [], next: null })
  })

  test('set a new password and revoke the tokens of the account', async () => {
    const { token } = await json(['token', 'create', 'robin'])
    const reset = await json(['user', 'reset-password', 'robin', '--password-stdin'], 'battery staple')
    expect(reset).toEqual({ uuid: aUuid, password: null, revokedTokens: 2 })
    expect(await statusOf(token, '/user')).toBe(401)
    expect(outcomeOf(await signIn(app, 'robin', 'correct horse'))).toBe('INVALID_CREDENTIALS')
    expect(outcomeOf(await signIn(app, 'robin', 'battery staple'))).toBe('DONE')
  })

  test.each([
    ['token', 'create', "'; drop table users; --"],
    ['token', 'revoke', '--all-of', 'nobody_here'],
    ['user', 'show', ''],
    ['user', 'reset-password', 'nobody_here'],
  ])('reject an unknown or invalid account: %s %s', async (...args) => {
    const refused = await runCommand(args, env)
    expect(refused).toEqual({ code: 1, stdout: '', stderr: oneLine('There is no such user') })
  })
})
