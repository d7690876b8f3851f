import { afterAll, beforeAll, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { expectBounded } from '../../support/database/bounded-reads.ts'
import { onPostgres, openTestDatabase, poolSize } from '../../support/database.ts'
import { type Crowd, hiddenCrowd } from '../../support/networks/hidden-crowd.ts'
import { fieldsIn, pathsIn } from '../../support/schema/every-field.ts'

let app: TestApp
let crowd: Crowd
beforeAll(async () => {
  if (!onPostgres) return
  // It creates millions of rows, for which a server would not wait.
  app = await startApp({}, (log) => openTestDatabase(log, poolSize, 'command'))
  crowd = await hiddenCrowd(app, 100_000)
})
afterAll(() => app?.close())

test.runIf(onPostgres)('no field or path looks at more rows of a hundred thousand than of a few thousand', () =>
  expectBounded(app, [...fieldsIn(crowd), ...pathsIn(crowd)]),
)
