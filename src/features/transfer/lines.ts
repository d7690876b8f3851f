import { z } from 'zod'
import { type Entry, objectOf, timeOf } from '../../engine/compiler/json.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { secondsAhead } from '../../engine/data/ids.ts'
import { version } from '../../engine/package.ts'
import { languageIn } from '../../engine/text/language.ts'
import type { TextForm } from '../../engine/text/text-form.ts'
import { inLowerCase, uuidPattern, version7 } from '../../engine/text/uuids.ts'
import { longestWebsite, websiteForm } from '../applications/applications.ts'
import {
  appealBounds,
  bioBounds,
  contentBounds,
  languageForm,
  maxLanguages,
  nameBounds,
  reasonBounds,
  warningBounds,
} from '../base/bounds.ts'
import { maxMentions } from '../base/entities.ts'
import { textOf } from '../base/input-rules.ts'
import { type Relation, relations } from '../base/relations.ts'
import { usernameBounds } from '../base/username.ts'
import { isCurrent } from '../visibility/rules.ts'

/** The form of a cursor of an export: 27 bytes in base64url. Without flags, so that OpenAPI can use it. */
export const exportCursor = /^[\w-]{36}$/

/** A text of this form, with these lengths. */
const matching = (form: RegExp, max: number, min = 0) => z.string().min(min).max(max).regex(form)

/** A UUID as exports write it. */
const uuid = matching(inLowerCase(uuidPattern), 36, 36).meta({ format: 'uuid' })

const isPast = (time: number) => time <= Date.now() + secondsAhead * 1_000

/** A UUID of version 7, whose time decides the place in lists. */
const ownId = matching(inLowerCase(version7), 36, 36)
  .refine((id) => isPast(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)), 'must not have a time in the future')
  .meta({ format: 'uuid' })

/** A time in UTC with milliseconds (RFC 3339). */
const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 24, 24)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a time')
  .meta({ format: 'date-time' })

/** A time that is not in the future. */
const past = time.refine((text) => isPast(Date.parse(text)), 'must not be in the future').meta({ format: 'date-time' })

/** A text that the API takes too. */
function text({ min, max, fault }: TextForm) {
  return z
    .string()
    .superRefine((it, { addIssue }) => {
      const message = fault?.(it)
      if (message !== undefined) addIssue({ code: 'custom', message })
    })
    .meta({ minLength: min, maxLength: max, pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]*$' })
}

/** A name that the API takes too. */
const name = text(nameBounds)

/** A language tag. */
const language = matching(languageForm.pattern, languageForm.max, languageForm.min).refine(
  (tag) => languageIn(tag) !== undefined,
  'must be a language tag',
)

/** The row that a line is read from. */
export const row = sql`t`

/** A column of that row. */
export const column = (name: string) => sql`${row}.${sql.identifier(name)}`

const values = new WeakMap<z.ZodType, Sql>()

/** A member of a line that is exported as this SQL expression. */
function from<Schema extends z.ZodType>(sql: Sql, schema: Schema): Schema {
  values.set(schema, sql)
  return schema
}

/** The members of an object that are exported, as SQL. Objects of such members are, too. */
export function entriesOf({ shape }: z.ZodObject): readonly Entry[] {
  return Object.entries(shape).flatMap(([name, schema]): Entry[] => {
    const value = values.get(schema)
    if (value) return [[name, value]]
    return schema instanceof z.ZodObject ? [[name, objectOf(entriesOf(schema))]] : []
  })
}

/** Where the lines of a type are read: a table, its column with the account that they belong to, and a condition. */
type Source = { readonly table: string; readonly owner: string; readonly where?: Sql }

const sources = new WeakMap<z.ZodObject, readonly Source[]>()

/** A type of lines: what they are, where they are read, and their members. */
function line<Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  description: string,
  from: readonly Source[],
  shape: Shape,
) {
  const schema = z
    .object({
      type: z.literal(type).describe('What the line is.'),
      cursor: matching(exportCursor, 36, 36).describe('The cursor of the line, for `after`.'),
      ...shape,
    })
    .describe(description)
  sources.set(schema, from)
  return schema
}

/** Where the lines of a type are read. */
export const sourcesOf = (line: z.ZodObject): readonly Source[] => sources.get(line) ?? []

/** What happened to a line. */
export type LineResult = {
  readonly isImported?: true
  /** Whether it existed before. */
  readonly isKnown?: true
  /** Why it was not imported, or not unchanged. */
  readonly problem?: string
  /** Whether it existed before, and has now what it lacked. */
  readonly isCompleted?: true
  /** The uuid of its parent or of what it quotes, if that does not exist yet but may follow. */
  readonly missing?: string
}

/** The version of the format. A file of another one is not imported. */
const exportVersion = 1

const timeIn = (name: string) => timeOf(column(name))

const username = matching(usernameBounds.pattern, usernameBounds.max, usernameBounds.min).describe(
  'The username of the account.',
)

/** The id of a row, which is its place in a list. */
const id = () => from(column('id'), ownId.describe('Its place in the list and its time: a UUID of version 7.'))

const createdAt = () => from(timeIn('created_at'), past.describe('When it was created.'))

/** Where relations are read, without what nobody sees any more. */
function sourceOf({ table, actorColumn, objectColumn, objectType, canExpire }: Relation) {
  const object = column(objectColumn)
  const isDeleted = (user: Sql) => sql`exists (select from account_deletions d where d.user_id = ${user})`
  const notDeleted =
    objectType === 'user'
      ? sql`not ${isDeleted(object)}`
      : sql`exists (select from live_publications p where p.id = ${object} and not ${isDeleted(sql`p.author_id`)})`
  return [{ table, owner: actorColumn, where: all(notDeleted, canExpire && isCurrent(row)) }]
}

/** The account that a relation leads to, in the form of its lines. */
function userOf({ objectColumn }: Relation) {
  const entries = [['uuid', sql`u.id`] as const, ['username', sql`u.username`] as const]
  return from(
    sql`(select ${objectOf(entries)} from users u where u.id = ${column(objectColumn)})`,
    z.object({ uuid: uuid.describe('The uuid of the account.'), username }).describe('The other account.'),
  )
}

/** The lines of a relation. */
function relationLine(relation: Relation) {
  const { name, on, objectColumn, objectType, canExpire } = relation
  const description = `${objectType === 'user' ? 'An account' : 'A post or reply'} that the account ${on.does}.`
  const define = <Shape extends z.ZodRawShape>(shape: Shape) => line(name.one, description, sourceOf(relation), shape)
  if (objectType === 'publication') {
    const publication = from(column(objectColumn), uuid.describe('The uuid of the post or reply.'))
    return define({ id: id(), publication })
  }
  const shape = { id: id(), user: userOf(relation) }
  if (!canExpire) return define(shape)
  const until = from(timeIn('until'), time.nullable().describe(`When the ${name.one} ends. Null if never.`))
  return define({ ...shape, until })
}

const publications = { table: 'live_publications', owner: 'author_id' }

const isLive = sql`(${column('expires_at')} is null or ${column('expires_at')} > now())`

const badges = sql`(select coalesce(json_agg(b.name order by b.name), '[]')
  from user_badges own join badges b on b.id = own.badge_id where own.user_id = ${row}.id)`

/** The states of appeals. */
const appealStates = ['open', 'accepted', 'rejected'] as const

/** The audiences, from the widest to the narrowest. */
export const audiences = ['everybody', 'followers', 'addressed'] as const

const isPrivate = (account: Sql) => sql`exists (select from private_accounts a where a.user_id = ${account})`

const addressees = sql`(select json_agg(a.user_id order by a.user_id) from addressees a where a.publication_id = ${row}.id)`

const lines = {
  header: line(
    'header',
    'The first line: whose export it is. Its values are set by the server.',
    [{ table: 'users', owner: 'id' }],
    {
      version: from(
        sql`${exportVersion}`,
        z.int32().min(1).max(exportVersion).meta({ format: 'int32' }).describe('The version of the format.'),
      ),
      server: z
        .object({
          name: from(sql`'Rookery'`, z.literal('Rookery').describe('The program.')),
          version: from(sql.literal(version), matching(/^[\w.+-]+$/, 50, 1).describe('The version of the program.')),
        })
        .describe('The server that wrote the export.'),
      account: z
        .object({
          uuid: from(column('id'), ownId.describe('The uuid of the account.')),
          username: from(column('username'), username.clone()),
          email_verified: from(
            column('email_verified'),
            z.boolean().describe('Whether the e-mail address is verified.'),
          ),
          badges: from(badges, z.array(name.describe('The name of a badge.')).max(100).describe('The badges.')),
          joined_at: from(timeIn('joined_at'), time.describe('When the account was created.')),
        })
        .describe('The account.'),
    },
  ),
  profile: line('profile', 'The profile.', [{ table: 'users', owner: 'id' }], {
    display_name: from(column('display_name'), name.describe('The display name.')),
    bio: from(column('bio'), text(bioBounds).describe('The biography.')),
    email: from(column('email'), text(textOf(0, 254)).describe('The e-mail address.')),
    is_private: from(isPrivate(column('id')), z.boolean().nullish().describe('Whether the account is private.')),
    language: from(column('language'), language.nullish().describe('The language of what the account sends.')),
    reading_languages: from(
      column('reading_languages'),
      z
        .array(language.describe('A language.'))
        .max(maxLanguages)
        .nullish()
        .describe('The languages that the account reads.'),
    ),
  }),
  application: line('application', 'An application of the account.', [{ table: 'applications', owner: 'owner_id' }], {
    uuid: from(column('id'), ownId.describe('The uuid.')),
    name: from(column('name'), name.describe('The name.')),
    website: from(
      column('website'),
      matching(websiteForm, longestWebsite)
        .refine((it) => URL.canParse(it) && new URL(it).href === it, 'must be a normalized URL')
        .nullable()
        .meta({ format: 'uri' })
        .describe('The website.'),
    ),
    created_at: createdAt(),
  }),
  publication: line(
    'publication',
    'A post, or a reply if it has a parent. Posts come before replies.',
    [
      { ...publications, where: sql`${column('parent_id')} is null` },
      { ...publications, where: sql`${column('parent_id')} is not null` },
    ],
    {
      uuid: from(column('id'), ownId.describe('The uuid.')),
      parent: from(
        column('parent_id'),
        uuid
          .nullable()
          .describe('The uuid of the post or reply that it replies to, which may be deleted. Null for a post.'),
      ),
      content: from(column('content'), text(contentBounds).describe('The text.')),
      from: from(
        column('application_id'),
        uuid.nullable().describe('The uuid of the application that it was sent from.'),
      ),
      locked: from(column('locked'), z.boolean().describe('Whether only the author may reply.')),
      quote: from(
        column('quoted_id'),
        uuid
          .nullish()
          .describe('The uuid of the post or reply that it quotes, which may be deleted. Null if it quotes none.'),
      ),
      quotable: from(
        column('quotable'),
        z.boolean().nullish().describe('Whether others may quote it: without a value, they may.'),
      ),
      created_at: createdAt(),
      edited_at: from(timeIn('edited_at'), past.nullable().describe('When it was last edited.')),
      audience: from(
        sql`case when ${column('audience')} = 'EVERYBODY' and ${isPrivate(column('author_id'))} then 'followers'
          else lower(${column('audience')}::text) end`,
        z
          .enum(audiences)
          .nullish()
          .describe(
            'Who can see it; what a private account published for everybody is for followers. Without a value, a new one has the ' +
              'default of the API. A reply never gets a wider audience than its parent.',
          ),
      ),
      addressees: from(
        addressees,
        z
          .array(uuid)
          .max(maxMentions + 2)
          .nullish()
          .describe('The uuids of the accounts that it is for, if it started a conversation between addressees.'),
      ),
      warning: from(
        column('warning'),
        text(warningBounds).nullish().describe('What readers should know before they read the text.'),
      ),
      language: from(column('language'), language.nullish().describe('The language of the text. Null if unknown.')),
    },
  ),
  token: line(
    'token',
    'An access token, without its secret. It is not imported.',
    [{ table: 'access_tokens', owner: 'user_id', where: isLive }],
    {
      name: from(column('name'), name.describe('The name.')),
      scopes: from(
        column('scopes'),
        z
          .array(matching(/^(?:[a-z.]+|\*)$/, 50).describe('A scope, or `*` for all that the account may have.'))
          .max(100)
          .describe('The scopes.'),
      ),
      application: from(
        column('application_id'),
        uuid.nullable().describe('The uuid of the application that it was issued to.'),
      ),
      created_at: from(timeIn('created_at'), time.describe('When it was issued.')),
      expires_at: from(timeIn('expires_at'), time.nullable().describe('When it expires. Null if never.')),
      last_used_at: from(timeIn('last_used_at'), time.nullable().describe('When it was last used, to the minute.')),
    },
  ),
  appeal: line(
    'appeal',
    'An appeal against a suspension. It is not imported.',
    [{ table: 'appeals', owner: 'user_id' }],
    {
      text: from(column('text'), text(appealBounds).describe('What the owner wrote.')),
      created_at: from(timeIn('created_at'), time.describe('When it was sent.')),
      state: from(
        sql`lower(${column('state')}::text)`,
        z.enum(appealStates).describe('Whether and how it was answered.'),
      ),
      answer: from(column('answer'), text(reasonBounds).nullable().describe('The answer. Null if there is none.')),
      answered_at: from(timeIn('answered_at'), time.nullable().describe('When it was answered. Null if it is open.')),
    },
  ),
  end: line('end', 'The last line. Without it, the export is incomplete.', [], {
    lines: z
      .int32()
      .min(1)
      .meta({ format: 'int32' })
      .describe('How many lines the whole export has, including this one.'),
  }),
} as const

/** The first line. */
export const { header } = lines

/** All types of lines in their order: what a line refers to comes before it, except for a reply whose parent is a later reply. */
export const exportLines = [
  header,
  lines.profile,
  lines.application,
  lines.publication,
  ...relations.map(relationLine),
  lines.token,
  lines.appeal,
  lines.end,
] as const

/** Any line. */
export const exportLine = z.discriminatedUnion('type', exportLines).describe('A line of an export.')

type AnyLine = z.infer<typeof exportLine>

/** A type of lines. */
export type LineType = AnyLine['type']

/** A line of one of these types. */
export type Line<Type extends LineType = LineType> = Extract<AnyLine, { readonly type: Type }>
