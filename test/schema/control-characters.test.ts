import { v7 as newId } from 'uuid'
import { expect, test } from 'vitest'
import { startApp } from '../support/app.ts'

const text = 'a\u0001\u001b[2Jb'

test('stored texts with control characters remain readable on both APIs', async () => {
  const app = await startApp()
  const { prisma } = app.database.write
  const ada = await app.person()
  const application = await prisma.application.create({ data: { id: newId(), ownerId: ada.id, name: text } })
  const { id } = await prisma.publication.create({
    data: { id: newId(), authorId: ada.id, applicationId: application.id, content: text },
  })
  await prisma.user.update({ where: { id: ada.id }, data: { displayName: text, bio: text } })
  await prisma.accessToken.updateMany({ where: { userId: ada.id }, data: { name: text } })

  const document = `query ($uuid: UUID!) {
    post(uuid: $uuid) { content author { displayName bio } from { name } }
    accessTokens { nodes { name } }
  }`
  expect((await app.graphql(ada.token, document, { uuid: id })).data).toEqual({
    post: { content: text, author: { displayName: text, bio: text }, from: { name: text } },
    accessTokens: { nodes: [{ name: text }] },
  })
  const response = await app.rest(ada.token, 'GET', `/post/${id}`)
  expect(await response.json()).toMatchObject({
    content: text,
    author: { display_name: text, bio: text },
    from: { name: text },
  })

  const locked = await app.rest(ada.token, 'PATCH', `/post/${id}`, { locked: true })
  expect(await locked.json()).toMatchObject({ content: text, locked: true })
  await app.close()
})
