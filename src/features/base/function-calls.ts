import type { Viewer } from '../../engine/auth/viewers.ts'
import type { FunctionWrite } from '../../engine/data/backend.ts'
import { type BatchRow, batchedText, batchedValues, rowsOfRuns } from '../../engine/data/batches.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { isGone } from '../../engine/data/unavailable.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { InvalidToken } from '../../engine/errors.ts'
import { type Relation, relations } from './relations.ts'

/** The SQL functions of publications, requests and reports, with the types of their parameters. */
const functionParameters = {
  send_publication: {
    publication: 'uuid',
    parent: 'uuid',
    author: 'uuid',
    application: 'uuid',
    new_content: 'text',
    new_locked: 'boolean',
    new_audience: 'text',
    new_warning: 'text',
    new_language: 'text',
    quoted: 'uuid',
    new_quotable: 'boolean',
    words: 'text',
    entities: 'text',
    limited: 'boolean',
  },
  edit_publication: {
    publication: 'uuid',
    viewer: 'uuid',
    new_content: 'text',
    new_locked: 'boolean',
    new_warning: 'text',
    new_language: 'text',
    new_quotable: 'boolean',
    posts: 'boolean',
    replies: 'boolean',
    since: 'numeric',
    words: 'text',
    entities: 'text',
  },
  detach_quote: { publication: 'uuid', viewer: 'uuid' },
  answer_follow_request: {
    viewer: 'uuid',
    requester: 'uuid',
    accepted: 'boolean',
  },
  send_report: {
    report: 'uuid',
    viewer: 'uuid',
    subject: 'uuid',
    given_reason: 'text',
    given_comment: 'text',
    most: 'int',
  },
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

const ofRelation = { new_id: 'uuid', viewer: 'uuid', object: 'uuid', wanted: 'boolean' } as const
const ofPublication = { posts: 'boolean', replies: 'boolean' } as const
const ofUser = { most: 'int' } as const
const ofExpiring = { ends: 'timestamptz' } as const
const ofCause = { cause: 'text' } as const
const ofLimited = { limited: 'boolean' } as const

/** What the SQL functions of relations take. */
type RelationArguments = Arguments<
  typeof ofRelation & typeof ofPublication & typeof ofUser & typeof ofExpiring & typeof ofCause & typeof ofLimited
>

/** The parameters of the SQL function that changes a relation, with their types. */
export const parametersOf = ({ objectType, canExpire, limitName }: Relation): Readonly<Record<string, string>> => ({
  ...ofRelation,
  ...(objectType === 'publication' ? ofPublication : ofUser),
  ...(canExpire && ofExpiring),
  ...ofCause,
  ...(limitName && ofLimited),
})

/** The name of the SQL function that changes a relation. */
export const functionOf = ({ verb }: Relation) => `set_${verb}`

/** All SQL functions that writes call, with the types of their parameters. A test compares them with those of the database. */
export const calledFunctions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...functionParameters,
  ...Object.fromEntries(relations.map((relation) => [functionOf(relation), parametersOf(relation)])),
}

const texts = new Map(
  Object.entries(calledFunctions).map(([name, parameters]) => {
    const list = Object.entries(parameters).map(([parameter, type], index) => `${parameter} => $${index + 1}::${type}`)
    return [name, `select ${name}(${list.join(', ')}) as outcome`]
  }),
)

/** A statement that calls a SQL function, whose result is the column `outcome`. */
export type FunctionCall = Pick<FunctionWrite, 'text' | 'values'>

function callWith(name: string, given: object): FunctionCall {
  const parameters = Object.keys(calledFunctions[name] ?? {})
  return { text: texts.get(name) ?? '', values: parameters.map((parameter): unknown => Reflect.get(given, parameter)) }
}

/** The statement that calls a SQL function. */
export const callOf = <Name extends keyof Functions>(name: Name, given: Arguments<Functions[Name]>): FunctionCall =>
  callWith(name, given)

/** The statement that calls the SQL function of a relation, with what that needs of these values. */
export const callOfRelation = (relation: Relation, given: RelationArguments): FunctionCall =>
  callWith(functionOf(relation), given)

/**
 * Calls a function for a viewer. Throws `UNAUTHENTICATED` if the account was erased while this process still accepted its token, and
 * `OUTCOME_UNKNOWN` with a way to find out whether the write was done.
 */
export async function callFor(
  { write }: Access,
  { id }: Pick<Viewer, 'id'>,
  howToCheck: string,
  call: FunctionWrite,
): Promise<BatchRow | undefined> {
  try {
    const [row] = await reportUnknownOutcome(howToCheck, () => write.run(call))
    return row
  } catch (error) {
    throw isGone(error, id) ? new InvalidToken() : error
  }
}

/** Calls one function several times, in this order, by one statement, and returns the outcomes. */
export async function runCalls(client: Client, calls: readonly FunctionCall[]): Promise<readonly unknown[]> {
  const [first] = calls
  if (!first) return []
  const values = batchedValues(calls.map((call) => call.values))
  const rows = await client.$queryRawUnsafe<BatchRow[]>(batchedText(first.text), ...values)
  return rowsOfRuns(rows, calls.length).map(([row]) => row?.outcome)
}
