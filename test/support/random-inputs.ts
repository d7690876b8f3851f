import fc from 'fast-check'
import { z } from 'zod'
import { bodyOf, faultsOf, type Operation, openapi, type Parameter, parametersOf } from './openapi.ts'
import { ids } from './small-network.ts'

type Schema = Readonly<Record<string, unknown>>

/** An operation where it is in the document. */
export type Place = { readonly method: string; readonly template: string; readonly operation: Operation }

/** A request, and what the document says of its parts. */
export type RandomRequest = {
  readonly path: string
  readonly body: unknown
  /** Whether the path names what the document lets it name; otherwise there is nothing there. */
  readonly isPath: boolean
  /** Whether numbers of pages and the body are within their bounds. */
  readonly isWithin: boolean
}

/** Every operation of the document. */
export const places: readonly Place[] = Object.entries(openapi.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
)

const known = [ids.adaPost, ids.bobPost, ids.adaReply, ids.bobReply, ids.adaOrphan, ids.nothing]
const users = [ids.bob, ids.cyd, '@bob', '@CYD', '@nobody_here']

const uuids = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known) },
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((id) => id.toUpperCase()) },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((id) => `urn:uuid:${id}`) },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((id) => id.slice(1)) },
)

const numberOf = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise)

/** Texts of every length around the bounds of a schema, of any characters. */
function texts({ minLength, maxLength }: Schema): fc.Arbitrary<string> {
  const [min, max] = [numberOf(minLength, 0), numberOf(maxLength, 100)]
  const length = fc.constantFrom(min - 1, min, min + 1, max - 1, max, max + 1).filter((it) => it >= 0)
  const character = fc.constantFrom('a', '😀', ' ', '\u0085', '\ufeff', '\0', '\u001b', '\t')
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: 'binary', minLength: min, maxLength: max }) },
    { weight: 3, arbitrary: fc.tuple(character, length).map(([it, times]) => it.repeat(times)) },
    { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(' ', '\t', '\u2003', 'b'), maxLength: 5 }) },
  )
}

/** Values that a schema allows for the most part, and some others. */
function values(schema: Schema): fc.Arbitrary<unknown> {
  const types = [schema.type].flat()
  const own = types.flatMap((type): fc.Arbitrary<unknown>[] => {
    if (type === 'null') return [fc.constant(null)]
    if (type === 'boolean') return [fc.boolean()]
    return [schema.format === 'uuid' ? uuids : texts(schema)]
  })
  return fc.oneof({ weight: 8, arbitrary: fc.oneof(...own) }, { weight: 1, arbitrary: fc.jsonValue() })
}

const propertiesOf = z.record(z.string(), z.record(z.string(), z.unknown()))

function bodies({ properties }: Schema): fc.Arbitrary<unknown> {
  const schemas = Object.entries(propertiesOf.parse(properties))
  const fields = Object.fromEntries(schemas.map(([name, property]) => [name, values(property)]))
  const some = fc.record(fields, { requiredKeys: [] })
  const all = fc.record(fields)
  const more = fc.dictionary(fc.constantFrom('uuid', 'lock', 'locked', 'more', '__proto__'), fc.jsonValue())
  const mixed = fc.tuple(more, fc.oneof(some, all)).map(([others, own]) => ({ ...others, ...own }))
  return fc.oneof({ weight: 12, arbitrary: mixed }, { weight: 1, arbitrary: fc.jsonValue() })
}

const isSegment = (text: string) => !['', '.', '..'].includes(text)

const junk = fc.string({ unit: 'grapheme', maxLength: 10 }).filter(isSegment)

/** Texts for a parameter, as they are before they are percent-encoded. */
function parameterTexts({ name, schema }: Parameter): fc.Arbitrary<string> {
  if (schema.type === 'integer') {
    const [min, max] = [numberOf(schema.minimum, 0), numberOf(schema.maximum, 0)]
    const bounds = fc.constantFrom(min - 1, min, max, max + 1)
    const spelled = fc.constantFrom('01', '+1', '1.0', '1e1', ' 1', '1 ', '0x1', '١', '99999999999999999999')
    return fc.oneof(fc.integer({ min, max }).map(String), bounds.map(String), spelled, junk)
  }
  const own = name === 'user' ? fc.oneof(fc.constantFrom(...users), uuids) : uuids
  return fc.oneof({ weight: 6, arbitrary: own }, { weight: 1, arbitrary: junk })
}

/** Whether the document has a text for a parameter: an integer has to be written as JSON would have it. */
function allows({ schema }: Parameter, text: string): boolean {
  if (schema.type !== 'integer') return faultsOf(schema, text, '').length === 0
  return String(Number(text)) === text && faultsOf(schema, Number(text), '').length === 0
}

/** Requests of an operation, within the bounds of the document and beyond them. */
export function randomRequests({ template, operation }: Place): fc.Arbitrary<RandomRequest> {
  const parameters = parametersOf(operation)
  const inPath = parameters.filter((it) => it.in === 'path')
  const inQuery = parameters.filter((it) => it.in === 'query')
  const schema = bodyOf(operation)
  const texts = (some: readonly Parameter[]) => some.map((it) => [it.name, parameterTexts(it)] as const)
  return fc
    .record({
      path: fc.record(Object.fromEntries(texts(inPath))),
      query: fc.record(Object.fromEntries(texts(inQuery)), { requiredKeys: [] }),
      body: schema ? bodies(schema) : fc.constant(undefined),
    })
    .map(({ path, query: given, body }) => {
      const query = Object.fromEntries(Object.entries(given).map(([name, text = '']) => [name, text]))
      const isRight = (some: readonly Parameter[], given: Readonly<Record<string, string>>) =>
        some.every((it) => given[it.name] === undefined || allows(it, given[it.name] ?? ''))
      const filled = template.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? ''))
      const numbers = inPath.filter((it) => it.schema.type === 'integer')
      const names = inPath.filter((it) => it.schema.type !== 'integer')
      const isBody = schema === undefined || faultsOf(schema, body, '').length === 0
      return {
        path: `${filled}?${new URLSearchParams(query)}`,
        body: schema && JSON.stringify(body),
        isPath: isRight(names, path),
        isWithin: isRight(numbers, path) && isRight(inQuery, query) && isBody,
      }
    })
}
