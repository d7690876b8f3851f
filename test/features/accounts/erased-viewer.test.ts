import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

test('an account that is erased while its token is still accepted writes nothing, and gets UNAUTHENTICATED', async () => {
  const [bob, other] = [await app.person(), await app.person()]
  const post = await publish(app, other)
  const writes = [
    ['sendPost', { content: 'Late' }, 'publication { uuid }'],
    ['sendReply', { content: 'Late', parent: post }, 'reply { uuid }'],
    ['setLike', { uuid: post, liked: true }, 'action'],
    ['markNotificationsRead', { upTo: '_____________________w' }, 'viewer { uuid }'],
    ['setBookmark', { uuid: post, bookmarked: true }, 'action'],
  ] as const
  await app.graphql(bob.token, '{ viewer { uuid } }')
  await app.database.write.prisma.accessToken.deleteMany({ where: { userId: bob.id } })
  await app.database.write.prisma.user.delete({ where: { id: bob.id } })
  const before = await app.database.write.prisma.publication.count()
  for (const [mutation, input, fields] of writes) {
    const { errors } = await mutate(app, bob, mutation, input, fields)
    expect([mutation, errors.map(({ extensions }) => extensions.code)]).toEqual([mutation, ['UNAUTHENTICATED']])
  }
  expect(await app.database.write.prisma.publication.count()).toBe(before)
})
