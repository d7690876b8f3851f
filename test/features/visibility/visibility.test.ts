import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  parse,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import type { Place, ReaderKind, RulesOf } from '../../../src/engine/compiler/field-reads.ts'
import { modelOf, tableOf } from '../../../src/engine/compiler/rows.ts'
import { sql } from '../../../src/engine/compiler/sql.ts'
import { SqlCompiler } from '../../../src/engine/compiler/sql-compiler.ts'
import type PrismaTypes from '../../../src/engine/data/generated/pothos.ts'
import { followsMany } from '../../../src/features/visibility/reader.ts'
import { schema } from '../../../src/server/schema.ts'

const places = ['everywhere', 'lists', 'timelines'] as const

const mark = (model: string, place: Place) => `${model} ${place}`

/** Rules for each place, which only mark the SQL. */
const marked = <Field extends string>(model: string, field: Field) =>
  places.map((place) => ({ place, fields: [field], condition: () => sql`'' <> ${sql.literal(mark(model, place))}` }))

const markers: RulesOf<PrismaTypes> = {
  User: marked('User', 'id'),
  LivePublication: marked('LivePublication', 'authorId'),
  Publication: marked('Publication', 'authorId'),
  Change: marked('Change', 'actorId'),
  Badge: marked('Badge', 'id'),
  Application: marked('Application', 'ownerId'),
  AccessToken: marked('AccessToken', 'userId'),
  Report: marked('Report', 'userId'),
  Appeal: marked('Appeal', 'userId'),
  SecondFactor: marked('SecondFactor', 'userId'),
  ModerationAct: marked('ModerationAct', 'userId'),
  PendingAccount: marked('PendingAccount', 'id'),
  Invitation: marked('Invitation', 'creatorId'),
  Mention: marked('Mention', 'userId'),
  Hashtag: marked('Hashtag', 'id'),
  HashtagUse: marked('HashtagUse', 'hashtagId'),
  Notification: marked('Notification', 'actorId'),
  OauthGrant: marked('OauthGrant', 'userId'),
  TimelineItem: marked('TimelineItem', 'authorId'),
}

const reader = (form?: string): ReaderKind => ({ name: 'marked', row: { id: sql`uuid` }, rules: markers, form })

type Field = GraphQLField<unknown, unknown>

const stored = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && (type.name === 'Query' || modelOf(type) !== undefined),
)
const fields = stored.flatMap((type) =>
  Object.values(type.getFields()).flatMap((field) =>
    field.extensions.read ? [{ name: `${type.name}.${field.name}`, type, field, read: field.extensions.read }] : [],
  ),
)
const rowsRead = fields.filter(({ field }) => isCompositeType(getNamedType(field.type)))

const id = '01900000-0000-7000-8000-000000000000'
const values: Record<string, string> = {
  by: `{ uuid: "${id}" }`,
  uuid: `"${id}"`,
  uuids: '[]',
  text: '"it"',
  of: '{ home: true }',
  offset: '1',
  name: '"a"',
}

/** How often each marker is in the statement of a field, or of its objects without it. */
function marksOf(type: GraphQLObjectType, field: Field, form: string | undefined): Map<string, number> {
  const given = field.args.flatMap(({ name }) => (values[name] ? [`${name}: ${values[name]}`] : []))
  const below = isPage(field) ? '{ nodes { __typename } }' : '{ __typename }'
  const selected = `${field.name}${given.length > 0 ? `(${given.join(' ')})` : ''} ${below}`
  const [query] = parse(`{ it { ${selected} } }`).definitions
  if (query?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('There is no query')
  const nodes = query.selectionSet.selections.filter((node) => node.kind === Kind.FIELD)
  const inner = nodes.flatMap((node) => node.selectionSet?.selections ?? []).filter((node) => node.kind === Kind.FIELD)
  const compiler = new SqlCompiler(
    { schema, fragments: {}, variableValues: {} },
    { includeTypename: true, reader: reader(form) },
  )
  const { text } = type.name === 'Query' ? compiler.fields([{ field, nodes: inner }]) : compiler.byId(type, nodes)
  const all = stored.flatMap((it) => places.map((place) => mark(modelOf(it) ?? '', place)))
  return new Map(all.map((it) => [it, text.split(`'${it}'`).length - 1]))
}

const isPage = ({ type }: Field) => getNamedType(type).name.endsWith('Connection')

function modelOfRows(name: string, field: Field): string {
  // Whoever follows an account sees all its posts, so its rules are those of accounts.
  if (name === 'Query.homeTimeline') return 'User'
  // Items have no rules of their own.
  if (name === 'Query.home' || name === 'User.timeline') return 'LivePublication'
  const type = getNamedType(field.type)
  const row = isObjectType(type) && isPage(field) ? getNamedType(type.getFields().nodes?.type) : type
  return (isCompositeType(row) && modelOf(row)) || ''
}

/** Where the rows of a field are read. */
function placeOf(name: string, read: (typeof fields)[number]['read']): Place {
  if (/Timeline$/.test(name) || name === 'Query.home') return 'timelines'
  if (name === 'Hashtag.publications' || name === 'Query.searchPublications') return 'timelines'
  // The viewer has to find those whom a block hides from them.
  if (/^User\.(?:blocks|mutes|followRequests|sentFollowRequests)$/.test(name)) return 'everywhere'
  return 'order' in read || 'orderBy' in read ? 'lists' : 'everywhere'
}

describe('every read of a model has its rules', () => {
  test('which this test has for every model of the schema', () => {
    expect(new Set(Object.keys(markers))).toEqual(new Set(stored.flatMap((type) => modelOf(type) ?? [])))
  })

  test.each(rowsRead.flatMap((each) => [undefined, followsMany].map((form) => ({ ...each, form }))))(
    '$name, in the form $form',
    ({ name, type, field, read, form }) => {
      const found = marksOf(type, field, form)
      // The object that has the field is found by its id.
      const parent = (model: string, place: Place) => (model === modelOf(type) && place === 'everywhere' ? 1 : 0)
      const model = modelOfRows(name, field)
      const until = places.indexOf(placeOf(name, read))
      const least = field.args.some((argument) => argument.name === 'offset') ? 2 : 1
      for (const [at, place] of places.entries()) {
        const added = (found.get(mark(model, place)) ?? 0) - parent(model, place)
        if (at <= until) expect(added, `the rule of ${model} for ${place} is missing`).toBeGreaterThanOrEqual(least)
        else expect(added, `the rule of ${model} for ${place} does not belong here`).toBe(0)
      }
    },
  )

  test('also of an object that is found by its id', () => {
    for (const type of stored.filter(modelOf)) {
      const compiler = new SqlCompiler(
        { schema, fragments: {}, variableValues: {} },
        { includeTypename: true, reader: reader() },
      )
      expect(compiler.byId(type, []).text).toContain(`'${mark(modelOf(type) ?? '', 'everywhere')}'`)
    }
  })

  test('to which these add them themselves', () => {
    expect(
      rowsRead.filter(({ read }) => 'query' in read || 'found' in read).map(({ name }) => name),
      'a read with `query` or `found` has to call `visible`, and to be listed here',
    ).toEqual([
      ...['Post.ancestors', 'Post.thread', 'Query.changes', 'Query.home', 'Query.homeTimeline'],
      ...['Query.searchPublications', 'Reply.ancestors', 'Reply.thread', 'User.notifications', 'User.timeline'],
    ])
  })

  test('but these values, which show none of the rows that they read', () => {
    const tables = Object.keys(markers).map((model) => tableOf(model).text.replaceAll('"', ''))
    const namesTable = new RegExp(`(?:\\b(?:from|join)|,)\\s*"?(?:${tables.join('|')})\\b`)
    const values = fields.filter(({ read }) => 'value' in read && namesTable.test(read.value(sql`it`, sql`''`).text))
    expect(
      values.map(({ name }) => name),
      'no rule holds for the tables in a `value`: read rows by `where` and `join`, or list it here if it shows nothing of them',
    ).toEqual([
      'AccessToken.scopes',
      'Authorization.scopes',
      'Query.changeCursor',
      'User.isApproved',
      'User.unreadNotificationCount',
    ])
  })
})
