import {
  type ASTNode,
  type GraphQLNamedType,
  getNamedType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  Kind,
  parse,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { Documents } from '../../src/engine/execution/documents.ts'
import { conditionalRead } from '../../src/engine/rest/operation.ts'
import { rest } from '../../src/server/rest.ts'
import { printedSchema, schema } from '../../src/server/schema.ts'
import { sourceFiles, textOf } from '../support/project/source-files.ts'
import { elementsOf } from '../support/schema/schema-facts.ts'

/** The fields with arguments that a document selects twice in the same object, each of which would be charged twice. */
function repeatedPages(source: string): readonly string[] {
  const { definitions } = parse(source)
  const fragments = new Map(definitions.map((it) => [it.kind === Kind.FRAGMENT_DEFINITION ? it.name.value : '', it]))
  const pagesIn = (node: ASTNode | undefined, path: string): readonly string[] => {
    if (node?.kind === Kind.FRAGMENT_SPREAD) return pagesIn(fragments.get(node.name.value), path)
    if (!node || !('selectionSet' in node)) return []
    const own = node.kind === Kind.FIELD ? `${path}/${node.alias?.value ?? node.name.value}` : path
    const inside = node.selectionSet?.selections.flatMap((selection) => pagesIn(selection, own)) ?? []
    return node.kind === Kind.FIELD && node.arguments?.length ? [own, ...inside] : inside
  }
  const pages = pagesIn(
    definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION),
    '',
  )
  return pages.filter((page, index) => pages.indexOf(page) < index)
}

/** The documents of the operations, with those of their full views. */
const documents = rest.operations.flatMap(({ id, document: { source, full } }) => [
  { id, source },
  { id: `${id} with full views`, source: full.source },
])

describe('the schema', () => {
  test('is identical to schema.graphql', async () => {
    expect(await printedSchema(), 'schema.graphql is out of date: npm run schema').toBe(textOf('schema.graphql'))
  })

  test('has an `id` only where it names one object in all lists, as the caches of clients expect', () => {
    const types = Object.values(schema.getTypeMap()).filter(isObjectType)
    const named = types.filter(
      (type) => type.getFields().id && !type.getInterfaces().some(({ name }) => name === 'Node'),
    )
    expect(named.map(({ name }) => name)).toEqual(['Badge', 'Notification'])
  })

  test('describes every element', () => {
    const undescribed = elementsOf(schema).filter(({ description }) => !description?.trim())
    expect(undescribed.map(({ name }) => name)).toEqual([])
  })

  test.each(documents)('has what the documents of $id select', ({ source }) => {
    expect(new Documents(schema, { introspection: false }).loadTrusted(source)).toEqual([expect.any(String)])
  })

  test.each(documents)('has pages that the document of $id selects once', ({ source }) => {
    expect(repeatedPages(source)).toEqual([])
  })

  test('has a condition for each write of what has an entity tag', () => {
    const conditional = rest.operations.filter((operation) => conditionalRead(rest, operation))
    expect(conditional.map(({ id }) => id)).toContain('deleteUser')
    for (const { document } of conditional) expect(document.source).toContain('$ifUnchangedSince: DateTime')
  })
})

/** What tests send: what stands in their files, and the documents of REST, each of which runs in them. */
const texts = [...sourceFiles('test').map(textOf), ...rest.operations.map(({ document }) => document.source)]
const fields = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type))
  .filter((type) => !isIntrospectionType(type))
  .flatMap((type) => Object.values(type.getFields()))

/** The inputs that belong to an input, itself among them. */
const inputsIn = (type: GraphQLNamedType): readonly GraphQLNamedType[] =>
  isInputObjectType(type)
    ? [type, ...Object.values(type.getFields()).flatMap((field) => inputsIn(getNamedType(field.type)))]
    : []

describe('a test', () => {
  /** What all mutations, and all pages, have in common. */
  const shared = ['input', 'first', 'last', 'before', 'after', 'offset']

  test('passes each argument', () => {
    const isPassed = (field: string, argument: string) =>
      texts.some((text) => new RegExp(`\\b${field}\\([^)]*\\b${argument}:`).test(text))
    const untested = fields.flatMap(({ name: field, args }) =>
      args.flatMap(({ name }) => (shared.includes(name) || isPassed(field, name) ? [] : [`${field}(${name}:)`])),
    )
    expect(untested).toEqual([])
  })

  test.each(Object.values(schema.getTypeMap()).filter((type) => isInputObjectType(type)))(
    'sets each field of $name',
    (input) => {
      const users = fields.filter(({ args }) => args.some(({ type }) => inputsIn(getNamedType(type)).includes(input)))
      const around = texts.filter((text) => users.some(({ name }) => new RegExp(`\\b${name}\\b`).test(text)))
      const isSet = (name: string) => around.some((text) => new RegExp(`\\b${name}\\b['"]?[:,} ]`).test(text))
      expect(Object.keys(input.getFields()).filter((name) => !isSet(name))).toEqual([])
    },
  )
})
