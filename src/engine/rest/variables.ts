import { z } from 'zod'
import { invalid } from '../errors.ts'

/** Values for the variables of a document, by name. Those that a document does not declare are ignored. */
export type Variables = Readonly<Record<string, unknown>>

/** The fields of a body as variables, and the aliases that were sent, by the names of their fields. */
type BodyVariables = { readonly variables: Variables; readonly aliases: ReadonlyMap<string, string> }

// Each field is added when it is declared, and belongs to no server.
const aliased = new WeakMap<z.ZodType, string>()

/** A flag that sets another one, unless that was sent too. */
export function aliasOf(name: string) {
  const alias = z.boolean().nullish().describe(`Alias of \`${name}\`; ignored if \`${name}\` is present.`)
  aliased.set(alias, name)
  return alias
}

/** A value as GraphQL has it: of an enum, the name. Throws `VALIDATION_FAILED` for a value that is not in the enum. */
function enumValue(field: string, schema: z.ZodType, value: unknown): unknown {
  if (!(schema instanceof z.ZodEnum)) return value
  const found = Object.entries(schema.enum).find(([, sent]) => sent === value)
  if (!found) throw invalid({ field, message: `must be one of ${schema.options.join(', ')}` })
  return found[0]
}

/** The parameters of a query as variables, as `bodyVariables` has fields. */
export function queryVariables(
  query: URLSearchParams,
  parameters: Readonly<Record<string, { schema: z.ZodType }>>,
): Variables {
  const sent = Object.entries(parameters).filter(([name]) => query.has(name))
  return Object.fromEntries(
    sent.map(([name, { schema }]) => [
      name,
      schema instanceof z.ZodArray ? query.getAll(name) : enumValue(name, schema, query.get(name)),
    ]),
  )
}

/**
 * The known fields of a body as variables, whose types GraphQL checks. Null counts as absent, and an alias only counts where its field is
 * absent. Throws `VALIDATION_FAILED` when the body is not a JSON object, an alias beside its field is not a flag, or a value is not in its enum.
 */
export function bodyVariables(body: unknown, { shape }: z.ZodObject<Record<string, z.ZodType>>): BodyVariables {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid({ field: 'body', message: 'must be a JSON object' })
  }
  const sent = new Map<string, unknown>(Object.entries(body).filter(([, value]) => value !== null))
  const aliases = new Map<string, string>()
  const variables: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(shape).filter(([name]) => sent.has(name))) {
    const of = aliased.get(field)
    if (of === undefined) variables[name] = enumValue(name, field, sent.get(name))
    else if (!sent.has(of)) {
      variables[of] = sent.get(name)
      aliases.set(of, name)
    } else if (typeof sent.get(name) !== 'boolean') {
      throw invalid({ field: name, message: 'must be true or false' })
    }
  }
  return { variables, aliases }
}
