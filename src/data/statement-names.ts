import { createHash } from 'node:crypto'

/**
 * Names for prepared statements, so that PostgreSQL parses and plans a text once for each connection. The first `limit`
 * distinct texts get one, the same for the same text; further ones get the empty name, which is the protocol's way to
 * keep nothing. Connections never forget a statement, so this bounds their memory.
 */
export function statementNames(limit: number): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= limit) return ''
    const name = createHash('sha256').update(sql).digest('hex').slice(0, 32)
    names.set(sql, name)
    return name
  }
}
