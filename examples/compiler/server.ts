import { PrismaPg } from '@prisma/adapter-pg'
import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  Kind,
} from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type pg from 'pg'
import type { ReaderKind } from '../../src/engine/compiler/field-reads.ts'
import { InvalidOperation } from '../../src/engine/compiler/limits.ts'
import { OperationReads } from '../../src/engine/compiler/operation-reads.ts'
import { CompiledOperations } from '../../src/engine/compiler/plans.ts'
import type { CompiledRead, TextRow } from '../../src/engine/data/backend.ts'
import { PrismaClient } from './generated/prisma/client.ts'
import { schema } from './schema.ts'

// Everybody may see everything.
const everybody: ReaderKind = { name: 'everybody', row: {}, rules: {} }
const reader = { kind: everybody, longest: everybody, values: [] }

/** Serves the library of a database: each query by one statement. */
export function createLibrary(pool: pg.Pool) {
  const compiled = new CompiledOperations()
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  const read = async ({ text, values }: CompiledRead) => (await pool.query<TextRow>(text, [...values])).rows

  async function answer(args: ExecutionArgs): Promise<ExecutionResult> {
    const { document, operationName, variableValues: sent = {} } = args
    const operation = getOperationAST(document, operationName)
    const { coerced } = getVariableValues(schema, operation?.variableDefinitions ?? [], sent ?? {})
    if (!operation || !coerced) return execute(args)
    const fragments = Object.fromEntries(
      document.definitions.flatMap((it) => (it.kind === Kind.FRAGMENT_DEFINITION ? [[it.name.value, it]] : [])),
    )
    const executable = { schema, operation, fragments, variableValues: coerced }
    const reads = new OperationReads({ read, write: { read } }, { executable, compiled, reader, isCheap: false })
    const plan = reads.plan()
    if (!plan || plan.resolved.length > 0) return execute(args)
    const parts = await reads.answer(plan)
    return { data: Object.fromEntries(plan.parts.map(({ key }, index) => [key, JSON.parse(parts[index] ?? 'null')])) }
  }

  const oneStatement: Plugin = {
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn((args: ExecutionArgs) =>
        answer(args).catch((error) => {
          throw error instanceof InvalidOperation ? new GraphQLError(error.message) : error
        }),
      ),
  }
  return createYoga({ schema, plugins: [oneStatement], context: { prisma } })
}
