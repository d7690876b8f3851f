import { z } from 'zod'
import { objectOf, timeOf } from '../../engine/compiler/json.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { version } from '../../engine/version.ts'
import { longestWebsite, websiteForm } from '../applications/applications.ts'
import { bioBounds, contentBounds } from '../base/bounds.ts'
import { blocks, bookmarks, follows, likes, mutes, type Relation } from '../base/relations.ts'
import { usernameForm } from '../base/username.ts'
import { isCurrent } from '../visibility/rules.ts'
import { column, from, line, matching, name, ownId, past, row, text, time, uuid } from './line.ts'

/** The version of the format. A file of another one is not imported. */
const exportVersion = 1

const timeIn = (name: string) => timeOf(column(name))

const username = matching(usernameForm, 30, 1).describe('The username of the account.')

/** The id of a row, which is its place in a list. */
const id = () => from(column('id'), ownId.describe('Its place in the list and its time: a UUID of version 7.'))

const createdAt = () => from(timeIn('created_at'), past.describe('When it was created.'))

const publicationOf = ({ objectColumn }: Relation) =>
  from(column(objectColumn), uuid.describe('The uuid of the post or reply.'))

function userOf({ objectColumn }: Relation) {
  const entries = [['uuid', sql`u.id`] as const, ['username', sql`u.username`] as const]
  return from(
    sql`(select ${objectOf(entries)} from users u where u.id = ${column(objectColumn)})`,
    z.object({ uuid: uuid.describe('The uuid of the account.'), username }).describe('The other account.'),
  )
}

/** Where relations are read, without what nobody sees any more. */
function sourceOf({ table, actorColumn, objectColumn, objectType, canExpire }: Relation) {
  const object = column(objectColumn)
  const isDeleted = (user: Sql) => sql`exists (select from account_deletions d where d.user_id = ${user})`
  const isThere =
    objectType === 'user'
      ? sql`not ${isDeleted(object)}`
      : sql`exists (select from live_publications p where p.id = ${object} and not ${isDeleted(sql`p.author_id`)})`
  return [{ table, owner: actorColumn, where: all(isThere, canExpire && isCurrent(row)) }]
}

const publications = { table: 'live_publications', owner: 'author_id' }

const isLive = sql`(${column('expires_at')} is null or ${column('expires_at')} > now())`

const badges = sql`(select coalesce(json_agg(b.name order by b.name), '[]')
  from user_badges own join badges b on b.id = own.badge_id where own.user_id = ${row}.id)`

/** The lines of an export in their order: what a line refers to comes before it, except for a reply whose parent is a later reply. */
export const exportLines = {
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
    email: from(column('email'), text({ min: 0, max: 254 }).describe('The e-mail address.')),
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
      created_at: createdAt(),
      edited_at: from(timeIn('edited_at'), past.nullable().describe('When it was last edited.')),
    },
  ),
  like: line('like', 'A like.', sourceOf(likes), { id: id(), publication: publicationOf(likes) }),
  bookmark: line('bookmark', 'A bookmark.', sourceOf(bookmarks), { id: id(), publication: publicationOf(bookmarks) }),
  follow: line('follow', 'An account that the account follows.', sourceOf(follows), {
    id: id(),
    user: userOf(follows),
  }),
  block: line('block', 'An account that the account blocks.', sourceOf(blocks), { id: id(), user: userOf(blocks) }),
  mute: line('mute', 'An account that the account mutes.', sourceOf(mutes), {
    id: id(),
    user: userOf(mutes),
    until: from(timeIn('until'), time.nullable().describe('When the mute ends. Null if never.')),
  }),
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
  end: line('end', 'The last line. Without it, the export is incomplete.', [], {
    lines: z
      .int32()
      .min(1)
      .meta({ format: 'int32' })
      .describe('How many lines the whole export has, including this one.'),
  }),
} as const

type ExportLines = typeof exportLines

/** A type of lines. */
export type LineType = keyof ExportLines

/** A line of this type. */
export type Line<Type extends LineType = LineType> = { readonly [It in Type]: z.infer<ExportLines[It]> }[Type]

const { header, profile, application, publication: sent, like, bookmark, follow, block, mute, token, end } = exportLines

/** Any line. */
export const exportLine = z
  .discriminatedUnion('type', [header, profile, application, sent, like, bookmark, follow, block, mute, token, end])
  .describe('A line of an export.')
