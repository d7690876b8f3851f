import fc from 'fast-check'
import { v7 } from 'uuid'
import { z } from 'zod'
import { cursorFormat } from '../../../src/engine/compiler/page-range.ts'
import { isBlank } from '../../../src/features/base/input-rules.ts'
import { ids } from '../networks/small-network.ts'
import { bodyOf, faultsOf, type Operation, openapi, type Parameter, parametersOf } from '../rest/openapi.ts'

type Schema = Readonly<Record<string, unknown>>

/** An operation with its path and method. */
export type Place = { readonly method: string; readonly template: string; readonly operation: Operation }

/** A request, and whether the document allows its parts. */
export type RandomRequest = {
  readonly path: string
  readonly body: unknown
  /** Whether the document allows the path parameters; otherwise the response is 404. */
  readonly isPath: boolean
  /** Whether the page numbers and the body are within their limits. */
  readonly isWithin: boolean
}

/** All operations of the document. */
export const places: readonly Place[] = Object.entries(openapi.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
)

const known = [ids.report, ids.adaPost, ids.bobPost, ids.adaReply, ids.bobReply, ids.adaOrphan, ids.nothing]
const users = [ids.bob, ids.cyd, '@bob', '@CYD', '@nobody_here']

const uuids = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known) },
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((id) => id.toUpperCase()) },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((id) => `urn:uuid:${id}`) },
  { weight: 1, arbitrary: fc.constantFrom(...known).map((id) => id.slice(1)) },
)

/** Client-made UUIDs. No document can say that their time must be near that of the server, so no other UUID of version 7 is among them. */
const newUuids = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -86_000, max: 30 }).map((s) => v7({ msecs: Date.now() + s * 1_000 })) },
  { weight: 1, arbitrary: fc.uuid({ version: 4 }) },
)

/** Times in Unix seconds. No document can say that they must be in the future, so none that has passed is among them. */
const times = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 4_102_444_800, max: 253_402_300_799 }) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 4_102_444_800.5, 253_402_300_800) },
)

/** Times in Unix seconds. Nor can one say that an invitation lasts at most 90 days. */
const nearTimes = fc.integer({ min: 1, max: 89 }).map((days) => Math.floor(Date.now() / 1_000) + days * 86_400)

/** Integers in Unix seconds, or around the limits of a schema. */
function integers({ minimum, maximum }: Schema, name: string): fc.Arbitrary<number> {
  if (name === 'until') return times
  if (name === 'expires_at') return nearTimes
  return fc.integer({ min: numberOf(minimum, 0) - 1, max: numberOf(maximum, 0) + 1 })
}

// No pattern tells all language tags from others.
const languages = fc.constantFrom('en', 'nl', 'pt-BR', '!')

const cursors = fc.stringMatching(cursorFormat)

const isSegment = (text: string) => !['', '.', '..'].includes(text)

const junk = fc.string({ unit: 'grapheme', maxLength: 10 }).filter(isSegment)

const numberOf = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise)

/**
 * Texts with lengths around the limits of a schema and any characters. No pattern says of every character whether it shows, so no blank
 * text that the schema allows is among them.
 */
function texts({ minLength, maxLength, pattern = '' }: Schema): fc.Arbitrary<string> {
  const allowed = new RegExp(String(pattern), 'u')
  const [min, max] = [numberOf(minLength, 0), numberOf(maxLength, 100)]
  const length = fc.constantFrom(min - 1, min, min + 1, max - 1, max, max + 1).filter((it) => it >= 0)
  const character = fc.constantFrom('a', '😀', ' ', '\u0085', '\ufeff', '\0', '\u001b', '\t')
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.string({ unit: 'binary', minLength: min, maxLength: max }) },
      { weight: 3, arbitrary: fc.tuple(character, length).map(([it, times]) => it.repeat(times)) },
      { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(' ', '\t', '\u2003', 'b'), maxLength: 5 }) },
    )
    .filter((text) => !isBlank(text) || !allowed.test(text))
}

/** Values, most of which a schema allows. */
function values(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (name === 'language') return languages
  const { enum: named } = schema
  if (Array.isArray(named)) return fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...named) }, junk)
  const types = [schema.type].flat()
  const own = types.flatMap((type): fc.Arbitrary<unknown>[] => {
    if (type === 'null') return [fc.constant(null)]
    if (type === 'boolean') return [fc.boolean()]
    if (type === 'integer') return [integers(schema, name)]
    if (name === 'up_to') return [cursors, texts(schema)]
    if (schema.format !== 'uuid') return [texts(schema)]
    return [name === 'uuid' ? newUuids : uuids]
  })
  return fc.oneof({ weight: 8, arbitrary: fc.oneof(...own) }, { weight: 1, arbitrary: junkFor(types) })
}

const junkFor = (types: readonly unknown[]) =>
  fc.jsonValue().filter((it) => !types.includes('integer') || typeof it !== 'number')

const propertiesOf = z.record(z.string(), z.record(z.string(), z.unknown()))

function bodies({ properties }: Schema): fc.Arbitrary<unknown> {
  const schemas = Object.entries(propertiesOf.parse(properties))
  const fields = Object.fromEntries(schemas.map(([name, property]) => [name, values(property, name)]))
  const some = fc.record(fields, { requiredKeys: [] })
  const all = fc.record(fields)
  const more = fc.dictionary(fc.constantFrom('uuid', 'lock', 'locked', 'more', '__proto__'), fc.jsonValue())
  const mixed = fc.tuple(more, fc.oneof(some, all)).map(([others, own]) => ({ ...others, ...own }))
  return fc.oneof({ weight: 12, arbitrary: mixed }, { weight: 1, arbitrary: fc.jsonValue() })
}

/** Values of a parameter, before percent-encoding. */
function parameterTexts({ name, schema }: Parameter): fc.Arbitrary<string> {
  if (schema.type === 'integer') {
    const [min, max] = [numberOf(schema.minimum, 0), numberOf(schema.maximum, 0)]
    // Later pages than these depend on the limit too.
    const within = Math.min(max, 1_000)
    const bounds = fc.constantFrom(min - 1, min, within, max + 1)
    const spelled = fc.constantFrom('01', '+1', '1.0', '1e1', ' 1', '1 ', '0x1', '١', '99999999999999999999')
    return fc.oneof(fc.integer({ min, max: within }).map(String), bounds.map(String), spelled, junk)
  }
  if (Array.isArray(schema.enum)) return fc.oneof(fc.constantFrom(...schema.enum), junk)
  if (schema.type === 'boolean') return fc.oneof({ weight: 4, arbitrary: fc.constantFrom('true', 'false') }, junk)
  // Nor do patterns tell all hashtags and cursors.
  if (name === 'name') return fc.constantFrom('birds', 'Vögel', '#', 'no tag')
  if (name === 'after')
    return fc.oneof(
      { weight: 3, arbitrary: cursors },
      texts(schema).filter((text) => faultsOf(schema, text, '').length > 0),
    )
  if (schema.type === 'string' && schema.format === undefined && name !== 'user') return texts(schema)
  const own = name === 'user' ? fc.oneof(fc.constantFrom(...users), uuids) : uuids
  return fc.oneof({ weight: 6, arbitrary: own }, { weight: 1, arbitrary: junk })
}

/** Values of a parameter in a query: one text, or those of a list. */
function queryTexts(parameter: Parameter): fc.Arbitrary<readonly string[]> {
  const text = parameterTexts(parameter)
  if (parameter.schema.type !== 'array') return text.map((it) => [it])
  if (parameter.name === 'language') return fc.array(languages, { maxLength: 2 })
  const valid = fc.array(fc.constantFrom(...known), { minLength: 1, maxLength: 4 })
  const tooMany = fc.constant(Array<string>(numberOf(parameter.schema.maxItems, 0) + 1).fill(ids.adaPost))
  return fc.oneof(
    { weight: 6, arbitrary: valid },
    { weight: 3, arbitrary: fc.array(text, { maxLength: 3 }) },
    { weight: 1, arbitrary: tooMany },
  )
}

/** Whether the document allows these texts as a parameter. Integers must be written as in JSON. */
function allows({ schema, required }: Parameter, texts: readonly string[] | undefined): boolean {
  if (texts === undefined) return !required
  if (schema.type === 'array') return faultsOf(schema, texts, '').length === 0
  if (schema.type === 'boolean') return texts.every((text) => ['true', 'false'].includes(text))
  const isNumber = schema.type === 'integer'
  return texts.every(
    (text) =>
      (!isNumber || String(Number(text)) === text) && faultsOf(schema, isNumber ? Number(text) : text, '').length === 0,
  )
}

/** Requests of an operation, half of which the document allows. */
export function randomRequests({ template, operation }: Place): fc.Arbitrary<RandomRequest> {
  const parameters = parametersOf(operation)
  const inPath = parameters.filter((it) => it.in === 'path')
  const inQuery = parameters.filter((it) => it.in === 'query')
  const [numbers, names] = [true, false].map((is) => inPath.filter((it) => (it.schema.type === 'integer') === is))
  const schema = bodyOf(operation)
  const allowsBody = (body: unknown) => schema === undefined || faultsOf(schema, body, '').length === 0
  const parts = (isAllowed: boolean) => {
    const draw = <T>(all: fc.Arbitrary<T>, allows: (it: T) => boolean) => (isAllowed ? all.filter(allows) : all)
    const texts = inPath.map((it) => [it.name, draw(parameterTexts(it), (text) => allows(it, [text]))])
    // Where cursors belong to an account, no random one is allowed.
    const known = inQuery.filter((it) => !isAllowed || it.name !== 'after' || allows(it, fc.sample(cursors, 1)))
    const lists = known.map((it) => [it.name, draw(queryTexts(it), (texts) => allows(it, texts))])
    return fc.record({
      path: fc.record<Record<string, string>>(Object.fromEntries(texts)),
      query: fc.record<Record<string, readonly string[]>, never>(Object.fromEntries(lists), { requiredKeys: [] }),
      body: schema ? draw(bodies(schema), allowsBody) : fc.constant(undefined),
      page: fc.constantFrom('number', 'cursor', ...(isAllowed ? [] : ['both'])),
    })
  }
  return fc.oneof(parts(true), parts(false)).map(({ path, query: sent, body, page }) => {
    const { page: number, after, ...others } = sent
    const query: Partial<typeof sent> = {
      ...others,
      ...(number && (page !== 'cursor' || !after) && { page: number }),
      ...(after && (page !== 'number' || !number) && { after }),
    }
    const pairs = Object.entries(query).flatMap(([name, texts = []]) => texts.map((text) => [name, text]))
    const isRight = (some: readonly Parameter[] = []) => some.every((it) => allows(it, [path[it.name] ?? '']))
    const filled = template.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? ''))
    return {
      path: `${filled}?${new URLSearchParams(pairs)}`,
      body: schema && JSON.stringify(body),
      isPath: isRight(names),
      // A page has a number or a cursor.
      isWithin:
        isRight(numbers) &&
        inQuery.every((it) => allows(it, query[it.name])) &&
        allowsBody(body) &&
        !(query.page && query.after),
    }
  })
}
