import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  printType,
} from 'graphql'
import { z } from 'zod'
import { prices } from '../compiler/cost.ts'
import { pointsOf } from '../execution/price.ts'
import { checked, type OwnTool, schemaOf } from './operation-tools.ts'

/** How much a search takes and finds: so it is no way to keep the process busy, or to fill the context of a model. */
const longestWords = 200
const mostFound = 20
const longestEntry = 2_000

/** What a search can find: its text, and what is looked for in it. */
type Entry = { readonly name: string; readonly description: string; readonly text: string }

const searchInput = z.strictObject({
  words: z
    .string('must be a text')
    .max(longestWords, `must have at most ${longestWords} characters`)
    .describe('Words of names and descriptions. A name finds a type or field itself.'),
})

/** The tool that finds fields and types of the schema, with what they cost. */
export function searchTool(schema: GraphQLSchema): OwnTool {
  const entries = Object.values(schema.getTypeMap()).flatMap(entriesOf)
  return {
    name: 'search_schema',
    description:
      'Finds fields, inputs and enums of the GraphQL schema by words of their names and descriptions, with ' +
      'the points that they cost and the scopes that they require.',
    annotations: { readOnlyHint: true },
    inputSchema: schemaOf(searchInput),
    needsScopes: false,
    run: async (input, { budget }) => {
      const words = differentWords(checked(input, searchInput).words)
      await budget?.charge(searchPrice(words.length, entries.length))
      return search(entries, words) || 'Nothing was found.'
    },
  }
}

/** The different words of a text. */
const differentWords = (text: string) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu))]

/** The price of a word that is looked for in an entry, which takes the event loop. */
const wordPrice = 1 / 20

/** What a search costs, in points: it looks for each word in each entry. */
const searchPrice = (words: number, entries: number) => Math.ceil(prices.statement + words * entries * wordPrice)

/** The best entries for some words. A word counts most as a whole name, and more in a name than in a description. */
function search(entries: readonly Entry[], wanted: readonly string[]): string {
  const score = ({ name, description }: Entry) =>
    wanted.reduce((sum, word) => {
      const own = name.split('.').includes(word) ? 6 : name.includes(word) ? 3 : 0
      return sum + own + (description.includes(word) ? 1 : 0)
    }, 0)
  const found = entries.map((entry) => ({ entry, points: score(entry) })).filter(({ points }) => points > 0)
  return found
    .sort((one, other) => other.points - one.points)
    .slice(0, mostFound)
    .map(({ entry }) => entry.text)
    .join('\n\n')
}

function entriesOf(type: GraphQLNamedType): readonly Entry[] {
  if (isIntrospectionType(type) || isSpecifiedScalarType(type)) return []
  if (isObjectType(type)) return Object.values(type.getFields()).map((field) => entryOf(type.name, field))
  if (!isInputObjectType(type) && !isEnumType(type)) return []
  return [{ ...searched(type.name, type.description), text: printType(type).slice(0, longestEntry) }]
}

function entryOf(parent: string, field: GraphQLField<unknown, unknown>): Entry {
  const name = `${parent}.${field.name}`
  const args = field.args.map(({ name, type }) => `${name}: ${type}`).join(', ')
  const text = `${name}${args && `(${args})`}: ${field.type}\n${field.description ?? ''}\n${pointsOf(field)}`
  return { ...searched(name, field.description), text: text.slice(0, longestEntry) }
}

const searched = (name: string, description: string | null | undefined) => ({
  name: name.toLowerCase(),
  description: (description ?? '').toLowerCase(),
})
