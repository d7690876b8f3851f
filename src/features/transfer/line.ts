import { z } from 'zod'
import { type Entry, objectOf } from '../../engine/compiler/json.ts'
import { type Sql, sql } from '../../engine/compiler/sql.ts'
import { secondsAhead } from '../../engine/data/new-id.ts'
import type { FieldError } from '../../engine/errors.ts'
import type { Bounds } from '../../engine/text/characters.ts'
import { nameBounds } from '../base/bounds.ts'
import { nameError, textError } from '../base/text-rules.ts'

/** The form of a cursor of an export: 27 bytes in base64url. Without flags, so that OpenAPI can use it. */
export const exportCursor = /^[\w-]{36}$/

export const matching = (form: RegExp, max: number, min = 0) => z.string().min(min).max(max).regex(form)

export const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36, 36).meta({ format: 'uuid' })

const isPast = (time: number) => time <= Date.now() + secondsAhead * 1_000

/** A UUID of version 7, whose time decides the place in lists. */
export const ownId = matching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 36, 36)
  .refine((id) => isPast(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)), 'must not have a time in the future')
  .meta({ format: 'uuid' })

export const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 24, 24)
  .refine((text) => !Number.isNaN(Date.parse(text)), 'must be a time')
  .meta({ format: 'date-time' })

export const past = time
  .refine((text) => isPast(Date.parse(text)), 'must not be in the future')
  .meta({ format: 'date-time' })

/** A text that the API takes too. */
function checked({ min, max }: Bounds, errorOf: (text: string) => FieldError | undefined) {
  return z
    .string()
    .superRefine((it, { addIssue }) => {
      const error = errorOf(it)
      if (error) addIssue({ code: 'custom', message: error.message })
    })
    .meta({ minLength: min, maxLength: max, pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]*$' })
}

export const text = (bounds: Bounds) => checked(bounds, (it) => textError('', it, bounds))

export const name = checked(nameBounds, (it) => nameError('', it))

/** The row that a line is read from. */
export const row = sql`t`

export const column = (name: string) => sql`${row}.${sql.identifier(name)}`

const values = new WeakMap<z.ZodType, Sql>()

/** A member of a line that is exported as this SQL expression. */
export function from<Schema extends z.ZodType>(sql: Sql, schema: Schema): Schema {
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
export function line<Type extends string, Shape extends z.ZodRawShape>(
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
