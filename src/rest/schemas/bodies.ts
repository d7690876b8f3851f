import { z } from 'zod'
import { clientUuid, version7 } from '../../domain/client-uuid.ts'
import { contentBounds } from '../../domain/publications.ts'
import { refusedCharacters } from '../../domain/text.ts'
import { aliasOf } from '../variables.ts'
import { newText, sentUuid, uuidOf } from './types.ts'

/** The text of a post or reply. */
export const newContent = newText(contentBounds).describe(
  `The text. It must not be blank (without a character that shows) or contain ${refusedCharacters} or a lone surrogate. Its length counts in Unicode code points. It is stored as sent.`,
)

const closed = z.boolean().nullish().describe('Whether only the author may reply to it.')

/** Who may reply, on the paths of posts. */
export const locked = { locked: closed, lock: aliasOf('locked') }

/** Who may reply, on the paths of replies. */
export const lock = { lock: closed, locked: aliasOf('lock') }

/** The parent of a reply. */
export const sentParent = sentUuid.describe('The uuid of the parent post or reply.')

/** The application that a post or reply was sent from. */
export const from = sentUuid
  .nullish()
  .describe('The uuid of the application that the token was issued to, or null. Others are refused with 403.')

/** The identifier of a new post or reply, where its client makes it. */
export const newUuid = uuidOf(version7)
  .nullish()
  .describe(
    `${clientUuid} Sending the same again returns the existing post or reply. A different one under a taken identifier is refused with 409.`,
  )

/** The body of a new post or reply. */
export function newObject<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.object(fields).describe('Other fields are ignored.')
}

/** The body of an edit. */
export function changesOf<Fields extends z.ZodRawShape>(fields: Fields) {
  const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, { type: 'null' }]))
  return (
    z
      .object(fields)
      .describe('The changes: at least one field that is not null. Other fields are ignored.')
      // As a negation, since many generators turn alternatives into types that allow more than the properties do.
      .meta({ minProperties: 1, not: { properties: nothing } })
  )
}
