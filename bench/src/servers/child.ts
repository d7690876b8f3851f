import type { Server } from 'node:http'

/** What every server gets from the environment: the database and how many connections it may have to it. */
export function settings(): { readonly databaseUrl: string; readonly pool: number } {
  const { DATABASE_URL: databaseUrl, DATABASE_POOL: pool } = process.env
  if (!databaseUrl || !pool) throw new Error('DATABASE_URL and DATABASE_POOL have to be set.')
  return { databaseUrl, pool: Number(pool) }
}

/** Listens on any free port of the loopback, and prints where. */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (address !== null && typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address.port}\n`)
  })
}
