import { beforeAll } from 'vitest'
import { addDemoActivity } from '../../../src/features/demo/demo-activity.ts'
import { issueDemoToken } from '../../../src/features/demo/demo-token.ts'
import { seed } from '../../../src/features/demo/seed.ts'
import { demoNetwork } from '../../../src/features/demo/seed-options.ts'
import { withBrowser } from './watched-page.ts'

/** A browser and a server with a small demo network and e-mail, for the tests of a `describe`. */
export function withDemo(): ReturnType<typeof withBrowser> {
  const demo = { token: '', targets: {} }
  const started = withBrowser({ demo, mail: { limits: undefined, signInNotice: false } })
  beforeAll(async () => {
    const { database } = started.app
    await seed(database, { ...demoNetwork, users: 10, posts: 60, likes: 60, follows: 40, now: new Date() })
    await addDemoActivity(database, 'ada')
    Object.assign(demo, await issueDemoToken(database))
  })
  return started
}
