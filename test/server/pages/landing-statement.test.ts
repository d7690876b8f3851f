import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { latestPost as query } from '../../../src/browser/documents.ts'
import { startApp } from '../../support/app.ts'

const file = new URL('../../../src/browser/landing/statement.sql', import.meta.url)
const withoutSpace = (text: string) => text.replaceAll(/\s+/g, '')

test('the landing page shows the one statement that its query becomes, whole, with line breaks', async () => {
  const app = await startApp()
  const { token } = await app.person()
  await app.graphql(token, query)
  const statements = await app.statementsOf(() => app.graphql(token, query))
  expect(statements.map(withoutSpace)).toEqual([withoutSpace(readFileSync(file, 'utf8'))])
  await app.close()
})
