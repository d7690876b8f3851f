import type { FunctionWrite } from '../../engine/data/backend.ts'
import { type BatchRow, batchedText, batchedValues, rowsOfRuns } from '../../engine/data/batched-statement.ts'
import type { Client } from '../../engine/data/client.ts'

const ofPublication = {
  new_id: 'uuid',
  viewer: 'uuid',
  object: 'uuid',
  wanted: 'boolean',
  posts: 'boolean',
  replies: 'boolean',
  cause: 'text',
} as const
const ofUser = {
  new_id: 'uuid',
  viewer: 'uuid',
  object: 'uuid',
  wanted: 'boolean',
  most: 'int',
  cause: 'text',
} as const

/** The SQL functions that writes call, with the types of their parameters. A test compares them with those of the database. */
export const functionParameters = {
  send_publication: {
    publication: 'uuid',
    parent: 'uuid',
    author: 'uuid',
    application: 'uuid',
    new_content: 'text',
    new_locked: 'boolean',
    words: 'text',
    entities: 'text',
  },
  edit_publication: {
    publication: 'uuid',
    viewer: 'uuid',
    new_content: 'text',
    new_locked: 'boolean',
    posts: 'boolean',
    replies: 'boolean',
    since: 'numeric',
    words: 'text',
    entities: 'text',
  },
  send_report: {
    report: 'uuid',
    viewer: 'uuid',
    subject: 'uuid',
    given_reason: 'text',
    given_comment: 'text',
    most: 'int',
  },
  set_like: ofPublication,
  set_bookmark: ofPublication,
  set_follow: ofUser,
  set_block: ofUser,
  set_mute: { ...ofUser, ends: 'timestamptz' },
} as const

type Functions = typeof functionParameters

type Values = {
  readonly uuid: string
  readonly text: string
  readonly boolean: boolean
  readonly int: number
  readonly numeric: number
  readonly timestamptz: string
}

type Arguments<Parameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends keyof Values ? Values[Parameters[Name]] | null : never
}

const texts = new Map(
  Object.entries(functionParameters).map(([name, parameters]) => {
    const list = Object.entries(parameters).map(([parameter, type], index) => `${parameter} => $${index + 1}::${type}`)
    return [name, `select ${name}(${list.join(', ')}) as outcome`]
  }),
)

/** A statement that calls a SQL function, whose result is the column `outcome`. */
export type FunctionCall = Pick<FunctionWrite, 'text' | 'values'>

/** The statement that calls a SQL function. */
export function callOf<Name extends keyof Functions>(name: Name, given: Arguments<Functions[Name]>): FunctionCall {
  const values = Object.keys(functionParameters[name]).map((parameter): unknown => Reflect.get(given, parameter))
  return { text: texts.get(name) ?? '', values }
}

/** Calls one function several times, in this order, by one statement, and returns the outcomes. */
export async function runCalls(client: Client, calls: readonly FunctionCall[]): Promise<readonly unknown[]> {
  const [first] = calls
  if (!first) return []
  const values = batchedValues(calls.map((call) => call.values))
  const rows = await client.$queryRawUnsafe<BatchRow[]>(batchedText(first.text), ...values)
  return rowsOfRuns(rows, calls.length).map(([row]) => row?.outcome)
}
