import { invalid } from '../errors.ts'
import type { BodyField } from './schemas/body-fields.ts'

/** Values for the variables of a document, by name. Those that a document does not declare are ignored. */
export type Variables = Readonly<Record<string, unknown>>

/** The fields of a body as variables, and the aliases that were sent, by the names of their fields. */
export type BodyVariables = { readonly variables: Variables; readonly aliases: ReadonlyMap<string, string> }

/**
 * The known fields of a body as variables. Null counts as absent, and an alias only counts where its field is absent. Throws
 * `VALIDATION_FAILED` when the body is not a JSON object, or an alias beside its field is not a flag.
 */
export function bodyVariables(body: unknown, fields: Readonly<Record<string, BodyField>>): BodyVariables {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid({ field: 'body', message: 'must be a JSON object' })
  }
  const sent = new Map<string, unknown>(Object.entries(body).filter(([, value]) => value !== null))
  const aliases = new Map<string, string>()
  const variables: Record<string, unknown> = {}
  for (const [name, { alias }] of Object.entries(fields)) {
    if (sent.has(name)) variables[name] = sent.get(name)
    if (alias === undefined || !sent.has(alias)) continue
    if (!sent.has(name)) {
      variables[name] = sent.get(alias)
      aliases.set(name, alias)
    } else if (typeof sent.get(alias) !== 'boolean') {
      throw invalid({ field: alias, message: 'must be true or false' })
    }
  }
  return { variables, aliases }
}
