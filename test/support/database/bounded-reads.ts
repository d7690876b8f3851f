import { expect } from 'vitest'
import type { TestApp } from '../app.ts'
import type { Case } from '../schema/every-field.ts'
import { measure } from './rows-read.ts'

/** How many rows a point of the price pays for. A row takes about a third of a microsecond. */
const rowsOfPoint = 16

/** Expects that documents look at no more rows than they may, and than they pay for. */
export async function expectBounded(app: Pick<TestApp, 'database'>, cases: readonly Case[]): Promise<void> {
  const tooMuch: object[] = []
  for (const { name, most, ...measured } of cases) {
    const { byTable, rows, cost } = await measure(app, measured)
    const largest = Math.max(0, ...byTable.values())
    if (largest > most || rows > cost * rowsOfPoint) tooMuch.push({ name, rows, cost, byTable, most })
  }
  expect(tooMuch).toEqual([])
}
