import { afterAll, beforeAll, expect, test } from 'vitest'
import { Passwords } from '../../src/domain/passwords.ts'
import { sharing, startApp, type TestApp } from '../support/app.ts'
import { outcomes } from '../support/outcomes.ts'
import { password, personOf, signIn, signUp } from '../support/sign-in.ts'

let old: TestApp
let present: TestApp
beforeAll(async () => {
  old = await startApp()
  present = await startApp({ passwords: new Passwords({ cost: { ln: 11, r: 8, p: 2 } }) }, sharing(old))
})
afterAll(async () => {
  await present.close()
  await old.close()
})

const hashOf = async (username: string) =>
  (await old.database.write.prisma.user.findFirstOrThrow({ where: { username } })).passwordHash
const oldHash = expect.stringMatching(/^\$scrypt\$ln=10,r=8,p=1\$/)
const presentHash = expect.stringMatching(/^\$scrypt\$ln=11,r=8,p=2\$/)

test('signing in replaces a hash with old parameters, once', async () => {
  const { token } = personOf(await signUp(old, { username: 'ada' }))
  expect(await hashOf('ada')).toEqual(oldHash)
  expect(await outcomes([signIn(present, 'ada', 'not the password')])).toEqual({ INVALID_CREDENTIALS: 1 })
  expect(await hashOf('ada')).toEqual(oldHash)

  personOf(await signIn(present, 'ada'))
  const upgraded = await hashOf('ada')
  expect(upgraded).toEqual(presentHash)
  personOf(await signIn(present, 'ada'))
  expect(await hashOf('ada')).toBe(upgraded)
  expect((await present.rest(token, 'GET', '/user')).status).toBe(200)
  expect(await outcomes([signIn(present, 'ada', 'not the password')])).toEqual({ INVALID_CREDENTIALS: 1 })
})

test('everyone who signs in while the hash is replaced gets in', async () => {
  personOf(await signUp(old, { username: 'grace' }))
  const signIns = Array.from({ length: 6 }, () => signIn(present, 'grace', password))
  expect(await outcomes(signIns)).toEqual({ DONE: 6 })
  expect(await hashOf('grace')).toEqual(presentHash)
})
