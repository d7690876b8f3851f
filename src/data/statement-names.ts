import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/**
 * Names for prepared statements, so that PostgreSQL parses and plans a text once for each connection. A text gets one when it is
 * seen again, the same for the same text, as long as there are fewer than `limit` and it is not longer than `longest`; others get the
 * empty name, which is the protocol's way to keep nothing. Connections never forget a statement, so this bounds their memory.
 */
export function statementNames(limit: number, longest = 32_768): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>()
  const seen = new LRUCache<string, true>({ max: limit })
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= limit || sql.length > longest) return ''
    if (!seen.has(sql)) {
      seen.set(sql, true)
      return ''
    }
    const name = createHash('sha256').update(sql).digest('hex').slice(0, 32)
    names.set(sql, name)
    return name
  }
}
