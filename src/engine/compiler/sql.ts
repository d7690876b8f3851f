/**
 * Text of a SQL expression or clause. Only `sql` and its functions make it, out of other SQL, numbers, and explicit identifiers and
 * literals, so the compiler guarantees that nothing a user sent becomes SQL: that travels in parameters.
 */
export class Sql {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  /** Makes SQL of a template with other SQL and numbers in it. */
  static of(strings: TemplateStringsArray, ...parts: readonly (Sql | number)[]): Sql {
    return new Sql(strings.reduce((text, string, index) => `${text}${textOf(parts[index - 1])}${string}`))
  }

  /** A quoted name, such as that of a column. */
  static identifier(name: string): Sql {
    return new Sql(`"${name.replaceAll('"', '""')}"`)
  }

  /** A string constant. */
  static literal(value: string): Sql {
    return new Sql(`'${value.replaceAll("'", "''")}'`)
  }

  /** All parts, with a separator between them. */
  static join(parts: readonly Sql[], separator: Sql): Sql {
    return new Sql(parts.map(({ text }) => text).join(separator.text))
  }

  /** The text as PostgreSQL takes it. */
  get text(): string {
    return this.#text
  }

  /** How many characters the text has. */
  get length(): number {
    return this.#text.length
  }
}

function textOf(part: Sql | number | undefined): string {
  return part instanceof Sql ? part.text : `${part ?? ''}`
}

/** Makes SQL of a template, such as `` sql`${row}.id` ``; with functions for identifiers, literals and lists. */
export const sql = Object.assign(Sql.of, { identifier: Sql.identifier, literal: Sql.literal, join: Sql.join })

/** Separates the items of a list. */
export const comma = sql`, `

/** That all of the given conditions hold. */
export function all(...conditions: readonly (Sql | undefined)[]): Sql {
  const given = conditions.filter((condition) => condition !== undefined)
  return given.length > 0 ? sql.join(given, sql` and `) : sql`true`
}
