import { z } from 'zod'
import { version7 } from '../../domain/client-uuid.ts'
import { contentBounds } from '../../text/bounds.ts'
import { descriptionOf } from '../descriptions.ts'
import { aliasOf } from '../variables.ts'
import { components, sentUuid, text, uuidOf } from './types.ts'

/** The text of a post or reply. */
export const newContent = text(contentBounds)

/** Who may reply, on the paths of posts. */
export const locked = { locked: z.boolean().nullish(), lock: aliasOf('locked') }

/** Who may reply, on the paths of replies. */
export const lock = {
  lock: z.boolean().nullish().describe(descriptionOf('SendReplyInput', 'locked')),
  locked: aliasOf('lock'),
}

/** The application that a post or reply was sent from. */
export const from = sentUuid.nullish()

/** The uuid of a new post or reply, where its client makes it. */
export const newUuid = uuidOf(version7).nullish()

const inCamelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

type Fields = Readonly<Record<string, z.ZodType>>
type Example = Readonly<Record<string, unknown>>

/** Fields with the descriptions of those of an input of GraphQL, unless they have their own. */
const described = (input: string, fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.description === undefined ? field.describe(descriptionOf(input, inCamelCase(name))) : field,
    ]),
  )

/** The body of a write, a component of the OpenAPI document. Its fields have the descriptions of those of an input of GraphQL. */
export function bodyOf<All extends Fields>(id: string, input: string, fields: All, example: Example): z.ZodObject<All>
export function bodyOf(id: string, input: string, fields: Fields, example: Example) {
  return z.object(described(input, fields)).describe('Other fields are ignored.').register(components, { id, example })
}

/** The body of an edit, like that of a write. */
export function changesOf<All extends Fields>(
  id: string,
  input: string,
  fields: All,
  example: Example,
): z.ZodObject<All>
export function changesOf(id: string, input: string, fields: Fields, example: Example) {
  const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, { type: 'null' }]))
  return (
    z
      .object(described(input, fields))
      .describe('The changes: at least one field that is not null. Other fields are ignored.')
      // As a negation, since many generators turn alternatives into types that allow more than the properties do.
      .meta({ minProperties: 1, not: { properties: nothing } })
      .register(components, { id, example })
  )
}
