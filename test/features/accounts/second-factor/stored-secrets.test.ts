import { expect, test } from 'vitest'
import { Authenticators } from '../../../../src/features/accounts/second-factor/authenticators.ts'
import { exportPages } from '../../../../src/features/transfer/export.ts'
import { sharing, startApp } from '../../../support/app.ts'
import { outcomeOf } from '../../../support/graphql/outcomes.ts'
import { addSecondFactor, challengeFor, codeOf, confirmSignIn } from '../../../support/graphql/second-factor.ts'
import { personOf, signUp } from '../../../support/graphql/sign-in.ts'

test('tables, logs and exports have neither secrets nor codes', async () => {
  const app = await startApp()
  const { prisma } = app.database.write
  const person = personOf(await signUp(app, { username: 'ada' }))
  const { secret, recoveryCodes } = await addSecondFactor(app, person)
  const challenge = await challengeFor(app, person)
  const hidden = [secret, challenge, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))]

  const tables = await prisma.$queryRaw<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const rows: unknown[] = []
  for (const { name } of tables)
    rows.push(await prisma.$queryRawUnsafe(`select to_jsonb(t)::text as row from "${name}" t`))
  let exported = ''
  for await (const page of exportPages(person.id, undefined, (read) => app.database.write.read(read))) exported += page
  expect(exported).toContain('"ada"')
  for (const text of [JSON.stringify(rows), exported, JSON.stringify(app.lines)]) {
    expect(hidden.filter((it) => text.includes(it))).toEqual([])
    expect(hidden.filter((it) => text.includes(Buffer.from(it).toString('hex')))).toEqual([])
  }
  await app.close()
})

test('the secret of one account is useless for another, and with another key', async () => {
  const app = await startApp()
  const { prisma } = app.database.write
  const [ada, eve] = [
    personOf(await signUp(app, { username: 'ada' })),
    personOf(await signUp(app, { username: 'eve', email: 'eve@example.org' })),
  ]
  const [ofAda, ofEve] = [await addSecondFactor(app, ada), await addSecondFactor(app, eve)]
  const { secret } = await prisma.secondFactor.findUniqueOrThrow({ where: { userId: eve.id } })
  const original = await prisma.secondFactor.findUniqueOrThrow({ where: { userId: ada.id } })
  await prisma.secondFactor.update({ where: { userId: ada.id }, data: { secret } })
  const swapped = await confirmSignIn(app, await challengeFor(app, ada), codeOf(ofEve.secret))
  expect(outcomeOf(swapped)).toBe('FORBIDDEN')
  await prisma.secondFactor.update({ where: { userId: ada.id }, data: { secret: original.secret } })

  const rekeyed = await startApp({ authenticators: new Authenticators('B'.repeat(43), 'Rookery') }, sharing(app))
  const challenge = await challengeFor(rekeyed, ada)
  expect(outcomeOf(await confirmSignIn(rekeyed, challenge, codeOf(ofAda.secret)))).toBe('FORBIDDEN')
  expect(outcomeOf(await confirmSignIn(rekeyed, challenge, ofAda.recoveryCodes[0] ?? ''))).toBe('DONE')
  await rekeyed.close()
  expect(outcomeOf(await confirmSignIn(app, await challengeFor(app, ada), codeOf(ofAda.secret)))).toBe('DONE')
  await app.close()
})
