import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { publish } from '../support/graphql/publish.ts'
import { startExample } from '../support/processes/example.ts'

let app: TestApp
let bot: Person
let ada: Person
let folder: string
let place: string
beforeAll(async () => {
  app = await startApp()
  bot = await app.person('robo')
  ada = await app.person('ada')
  folder = await mkdtemp(join(tmpdir(), 'bot-'))
  place = join(folder, 'place.txt')
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

const startBot = () => startExample('bot', { ROOKERY_URL: app.origin, ROOKERY_TOKEN: bot.token }, [place])

/** The texts that the bot has answered, the earliest answer first. */
async function answered(): Promise<(string | undefined)[]> {
  const replies = await app.database.write.prisma.publication.findMany({
    where: { authorId: bot.id },
    orderBy: { id: 'asc' },
    select: { parent: { select: { content: true } } },
  })
  return replies.map(({ parent }) => parent?.content)
}

async function unreadCount(): Promise<unknown> {
  return (await app.graphql(bot.token, '{ viewer { unreadNotificationCount } }')).data
}

test('the bot answers each mention once, also those while it did not run', async () => {
  const mention = (content: string) => publish(app, ada, { content: `${content} @robo` })
  const own = await publish(app, bot, { content: 'I am @robo' })
  await mention('Before')
  const first = startBot()
  await expect.poll(answered).toEqual([undefined, 'Before @robo'])
  await mention('Live')
  await publish(app, ada, { content: 'No mention', parent: own })
  expect((await app.rest(ada.token, 'POST', `/post/${own}/like`)).status).toBe(200)
  await publish(app, ada, { content: 'Reply @robo', parent: own })
  const live = [undefined, 'Before @robo', 'Live @robo', 'Reply @robo']
  await expect.poll(answered).toEqual(live)
  await expect.poll(unreadCount).toEqual({ viewer: { unreadNotificationCount: 0 } })
  first.child.kill('SIGKILL')
  await first.ended

  const before = await readFile(place, 'utf8')
  await mention('Missed 1')
  await mention('Missed 2')
  const gone = await mention('Deleted')
  expect((await app.rest(ada.token, 'DELETE', `/post/${gone}`)).status).toBe(200)
  const missed = [...live, 'Missed 1 @robo', 'Missed 2 @robo']
  const second = startBot()
  await expect.poll(answered).toEqual(missed)
  await expect.poll(unreadCount).toEqual({ viewer: { unreadNotificationCount: 0 } })
  second.child.kill('SIGKILL')
  await second.ended

  // As if it had been killed before it kept its place.
  await writeFile(place, before)
  await mention('Last')
  const third = startBot()
  await expect.poll(answered).toEqual([...missed, 'Last @robo'])
  await expect.poll(unreadCount).toEqual({ viewer: { unreadNotificationCount: 0 } })
  third.child.kill()
  await third.ended
})

test('the bot reads its unread notifications when its place is no longer stored', async () => {
  const before = await answered()
  await publish(app, ada, { content: 'Late @robo' })
  const cursor = await readFile(place, 'utf8')
  await app.database.write.prisma.$executeRaw`delete from changes`
  await publish(app, ada, { content: 'Later @robo' })
  const { child, ended, output } = startBot()
  await expect.poll(answered).toEqual([...before, 'Late @robo', 'Later @robo'])
  await expect.poll(() => readFile(place, 'utf8')).not.toBe(cursor)
  expect(output.stderr).toBe('')
  await publish(app, ada, { content: 'Latest @robo' })
  await expect.poll(answered).toEqual([...before, 'Late @robo', 'Later @robo', 'Latest @robo'])
  child.kill()
  await ended
})
