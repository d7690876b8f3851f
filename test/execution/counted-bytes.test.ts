import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { DocumentCache } from '../../src/execution/document-cache.ts'
import { LoadedDocument } from '../../src/execution/loaded-document.ts'
import { schema } from '../../src/schema/schema.ts'
import { recordedReads } from '../support/recorded-reads.ts'
import { times } from '../support/times.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const documents = new DocumentCache(schema, { introspection: true })

/** Loads a document, and compiles and runs its operation. */
async function use(source: string): Promise<LoadedDocument> {
  const loaded = documents.load(source)
  if (!(loaded instanceof LoadedDocument)) throw loaded.errors[0] ?? new TypeError('The document is invalid')
  const operation = loaded.operation(undefined)
  operation.analyze(operation.coerce({}, { hidesSuggestions: false }).coerced ?? {})
  await recordedReads(operation)
  return loaded
}

/** How many bytes the heap grows by for each of these documents, and how many are counted for them. */
async function bytesOf(count: number, source: (index: number) => string) {
  await use(source(count))
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const loaded: LoadedDocument[] = []
  for (let index = 0; index < count; index += 1) loaded.push(await use(source(index)))
  collectGarbage()
  const held = process.memoryUsage().heapUsed - before
  const counted = loaded.reduce((total, { bytes }) => total + bytes, 0)
  return { held: held / count, counted: counted / count }
}

const page = (index: number) => `p${index}: publicTimeline(first: 1) { nodes { uuid author { username } } }`
const variables = times(20, (index) => `$variable${index}: Int = ${index}`)
const variable = (index: number) => `p${index}: publicTimeline(first: $variable${index}) { nodes { uuid } }`

test.each<[string, number, (index: number) => string]>([
  ['a short document', 2_000, (index) => `{ publicTimeline(first: 1) { nodes { uuid } } } # ${index}`],
  ['a document of many fields', 200, (index) => `{ ${times(20, page)} } # ${index}`],
  ['a document with a long comment', 500, (index) => `{ viewer { uuid } } # ${index} ${'ж'.repeat(16_000)}`],
  ['a document with variables', 200, (index) => `query (${variables}) { ${times(20, variable)} } # ${index}`],
  [
    'a document with fragments',
    200,
    (index) =>
      `{ ${times(20, (at) => `...on Query { ...F${at} }`)} } ${times(20, (at) => `fragment F${at} on Query { ${page(at)} }`)} # ${index}`,
  ],
])('%s takes no more memory than is counted for it', async (_name, count, source) => {
  const { held, counted } = await bytesOf(count, source)
  expect(held).toBeGreaterThan(500)
  expect(held).toBeLessThan(counted)
})
