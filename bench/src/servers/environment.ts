import type { Work } from '../works/work.ts'

/** The variables of all servers: the database, the number of connections to it, and the floor's statements. */
export function environment(url: string, works: readonly Work[], pool: number) {
  const statements = Object.fromEntries(works.map(({ name, floor }) => [name, floor.sql]))
  return {
    DATABASE_URL: url,
    DATABASE_POOL: String(pool),
    FLOOR_STATEMENTS: JSON.stringify(statements),
    LOG_LEVEL: 'info',
    RATE_LIMIT: 'off',
  }
}
