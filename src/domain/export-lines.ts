import { z } from 'zod'
import { bioBounds } from './accounts.ts'
import { secondsAhead } from './client-uuid.ts'
import { contentBounds } from './publications.ts'
import { type Bounds, nameBounds } from './text.ts'
import { usernameForm } from './username.ts'

/** The version of the format. A file of another one is not imported. */
export const exportVersion = 1

/** The form of a cursor of an export: 21 bytes in base64url, the fifth less than 16. Without flags, so that OpenAPI can use it. */
export const exportCursor = /^[\w-]{5}[AQgw][\w-]{22}$/

const matching = (form: RegExp, max: number, min = 0) => z.string().min(min).max(max).regex(form)

const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36, 36).meta({ format: 'uuid' })

const isPast = (time: number) => time <= Date.now() + secondsAhead * 1_000

/** A UUID of version 7, whose time decides the place in lists. */
const ownId = matching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 36, 36)
  .refine((id) => isPast(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)), 'must not have a time in the future')
  .meta({ format: 'uuid' })

const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 24, 24)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a time')
  .meta({ format: 'date-time' })

const past = time.refine((text) => isPast(Date.parse(text)), 'must not be in the future').meta({ format: 'date-time' })

/** A text as it may be stored, counted in code points. Earlier versions stored control characters. */
const text = ({ min, max }: Bounds) =>
  z
    .string()
    .refine((it) => it.isWellFormed() && !it.includes('\0'), 'must not contain a NUL or a lone surrogate')
    .refine((it) => {
      const { length } = [...it]
      return length >= min && length <= max
    }, `must have ${min} to ${max} characters`)
    .meta({ minLength: min, maxLength: max, pattern: '^[^\\x00]*$' })

const username = matching(usernameForm, 30, 1).describe('The username of the account.')

const user = z.object({ uuid: uuid.describe('The uuid of the account.'), username }).describe('The other account.')

const line = <Type extends string, Shape extends z.ZodRawShape>(type: Type, description: string, shape: Shape) =>
  z
    .object({
      type: z.literal(type).describe('What the line is.'),
      cursor: matching(exportCursor, 28, 28).describe('The cursor of the line, for `after`.'),
      ...shape,
    })
    .describe(description)

const id = ownId.describe('Its place in the list and its time: a UUID of version 7.')
const publication = uuid.describe('The uuid of the post or reply.')
const createdAt = past.describe('When it was created.')

/** The lines of an export in their order: what a line refers to comes before it, except for a reply whose parent is a later reply. */
export const exportLines = {
  header: line('header', 'The first line: whose export it is. Its values are set by the server.', {
    version: z.int32().min(1).max(exportVersion).meta({ format: 'int32' }).describe('The version of the format.'),
    server: z
      .object({
        name: z.literal('Rookery').describe('The program.'),
        version: matching(/^[\w.+-]+$/, 50, 1).describe('The version of the program.'),
      })
      .describe('The server that wrote the export.'),
    account: z
      .object({
        uuid: ownId.describe('The uuid of the account.'),
        username,
        email_verified: z.boolean().describe('Whether the e-mail address is verified.'),
        badges: z.array(text(nameBounds).describe('The name of a badge.')).max(100).describe('The badges.'),
        joined_at: time.describe('When the account was created.'),
      })
      .describe('The account.'),
  }),
  profile: line('profile', 'The profile.', {
    display_name: text(nameBounds).describe('The display name.'),
    bio: text(bioBounds).describe('The biography.'),
    email: text({ min: 0, max: 254 }).describe('The e-mail address.'),
  }),
  application: line('application', 'An application of the account.', {
    uuid: ownId.describe('Its uuid.'),
    name: text(nameBounds).describe('Its name.'),
    website: matching(/^https?:\/\/[^/@]+\//, 2_000)
      .nullable()
      .meta({ format: 'uri' })
      .describe('Its website.'),
    created_at: createdAt,
  }),
  publication: line('publication', 'A post, or a reply if it has a parent. Posts come before replies.', {
    uuid: ownId.describe('Its uuid.'),
    parent: uuid
      .nullable()
      .describe('The uuid of the post or reply that it replies to, which may be deleted. Null for a post.'),
    content: text(contentBounds).describe('The text.'),
    from: uuid.nullable().describe('The uuid of the application that it was sent from.'),
    locked: z.boolean().describe('Whether only the author may reply.'),
    created_at: createdAt,
    edited_at: past.nullable().describe('When it was last edited.'),
  }),
  like: line('like', 'A like.', { id, publication }),
  bookmark: line('bookmark', 'A bookmark.', { id, publication }),
  follow: line('follow', 'An account that the account follows.', { id, user }),
  block: line('block', 'An account that the account blocks.', { id, user }),
  mute: line('mute', 'An account that the account mutes.', {
    id,
    user,
    until: time.nullable().describe('When the mute ends. Null if never.'),
  }),
  token: line('token', 'An access token, without its secret. It is not imported.', {
    name: text(nameBounds).describe('Its name.'),
    scopes: z
      .array(matching(/^[a-z.]+$/, 50).describe('A scope.'))
      .max(100)
      .describe('Its scopes.'),
    application: uuid.nullable().describe('The uuid of the application that it was issued to.'),
    created_at: time.describe('When it was issued.'),
    expires_at: time.nullable().describe('When it expires. Null if never.'),
    last_used_at: time.nullable().describe('When it was last used, to the minute.'),
  }),
  end: line('end', 'The last line. Without it, the export is incomplete.', {
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
