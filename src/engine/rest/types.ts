import { z } from 'zod'
import { cursorFormat, cursorLength } from '../compiler/cursor.ts'
import { pageSize } from '../page-size.ts'
import { latestTime } from '../schema/scalars.ts'
import type { Bounds } from '../text/characters.ts'
import { uuidFormat } from './paths.ts'

/** The named schemas of the OpenAPI document, each with an example if it is a body. Declarations alone fill it, as their modules load. */
export const components = z.registry<{ readonly id: string; readonly example?: z.$output }>()

/** Declares a component of the OpenAPI document: an object with these properties. */
export function component<All extends Readonly<Record<string, z.ZodType>>>(
  id: string,
  description: string,
  properties: All,
  example: z.infer<z.ZodObject<All>>,
) {
  const schema = z.object(properties).describe(description)
  components.add(schema, { id, example })
  return schema
}

/** A text of this form, with these lengths in characters. */
export function matching(form: RegExp, max: number, min = 0) {
  const schema = z.string().max(max).regex(form)
  return min > 0 ? schema.min(min) : schema
}

/** A UUID of this form. */
export const uuidOf = (form: RegExp) => matching(form, 36, 36).meta({ format: 'uuid' })

/** A UUID in a response. */
export const uuid = uuidOf(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)

/** A UUID in a request. */
export const sentUuid = uuidOf(uuidFormat)

/** A cursor of a list. */
export const cursor = matching(cursorFormat, cursorLength, cursorLength)

/** An integer of at most 32 bits. */
export const int32 = z.int32().meta({ format: 'int32' })

/** A counter. */
export const count = int32.min(0)

/** A time in Unix seconds, up to the year 9999. */
export const time = z
  .int()
  .min(0)
  .max(Math.floor(latestTime / 1_000))
  .meta({ format: 'int64' })

/** A time as whole Unix seconds. */
export const seconds = (at: Date | string): number => Math.floor(new Date(at).getTime() / 1000)

/**
 * A text, with the bounds that `textError` checks. The pattern does not mention lone surrogates: interoperable JSON has none (RFC
 * 7493, section 2.1), and the patterns of many languages do not support them.
 */
export const text = (bounds: Bounds) => textWithout('\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f', bounds)

/** A new name: on one line, without characters that change the direction of the text beside it. */
export const nameWith = (bounds: Bounds) =>
  textWithout('\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069', bounds)

/** A text without these characters. One that must not be empty has more than white space: patterns cannot rely on Unicode's properties as `isBlank` does. */
function textWithout(characters: string, { min, max }: Bounds) {
  const [any, visible] = [`[^${characters}]*`, `[^\\s${characters}]`]
  return matching(new RegExp(min > 0 ? `^${any}${visible}${any}$` : `^${any}$`), max, min)
}

/** One page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) => z.array(item).max(pageSize.max)
