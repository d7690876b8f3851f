import { afterAll, beforeAll, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { expectBounded } from '../../support/database/bounded-reads.ts'
import { type Crowd, hiddenCrowd } from '../../support/networks/hidden-crowd.ts'
import { fieldsIn, pathsIn } from '../../support/schema/every-field.ts'

let app: TestApp
let crowd: Crowd
beforeAll(async () => {
  app = await startApp()
  crowd = await hiddenCrowd(app, 4_000)
})
afterAll(() => app.close())

test('every field looks at a limited number of rows, and costs what it looks at, however often it is selected', () =>
  expectBounded(app, fieldsIn(crowd)))

test('every path of REST looks at a limited number of rows, and costs what it looks at', () =>
  expectBounded(app, pathsIn(crowd)))
