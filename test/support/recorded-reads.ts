import type { CompiledRead } from '../../src/data/backend.ts'
import type { PreparedOperation } from '../../src/operations/prepared-operation.ts'
import { Reads, type Viewer } from '../../src/reads/reads.ts'

const nobody: Viewer = { id: null, readsEmail: false, followsMany: false }

/** Answers a query without a database, and returns the statements that it would run. */
export async function recordedReads(operation: PreparedOperation, viewer = nobody): Promise<readonly CompiledRead[]> {
  const recorded: CompiledRead[] = []
  const run = async (read: CompiledRead) => {
    recorded.push(read)
    return []
  }
  const reads = new Reads({ read: run, write: run }, viewer, 'gravatar')
  const executable = operation.executable(operation.coerce({}, { hidesSuggestions: false }).coerced ?? {})
  const plan = reads.plan(executable)
  if (plan) await reads.answer(plan, executable)
  return recorded
}
