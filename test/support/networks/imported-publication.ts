import { v7 as newId } from 'uuid'
import { importLines } from '../../../src/features/transfer/import.ts'
import type { Line } from '../../../src/features/transfer/lines.ts'
import type { Person, TestApp } from '../app.ts'

/** Imports a publication into an account: a line with what the first exports had, and `more`. Returns its uuid, and the problems. */
export async function importPublication(app: TestApp, { id }: Person, more: Partial<Line<'publication'>>) {
  const line = {
    type: 'publication',
    cursor: '',
    uuid: newId(),
    parent: null,
    content: 'Hello',
    from: null,
    locked: false,
    created_at: new Date().toISOString(),
    edited_at: null,
    ...more,
  } as const
  const lines = async function* () {
    yield { number: 1, line }
  }
  const { problems } = await importLines(app.database, id, { lines })
  return { uuid: line.uuid, problems }
}
