/** Runs work when its turn comes. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>

/** Wraps a Prisma client so that each operation waits for a turn; a transaction takes one turn as a whole. */
export function takingTurns<Client extends object>(client: Client, turn: Turn): Client {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (typeof value === 'function') {
        return (...values: unknown[]) => turn(async () => Reflect.apply(value, target, values))
      }
      const isModel = typeof key === 'string' && /^[a-z]/.test(key) && typeof value === 'object' && value !== null
      return isModel ? takingTurns(value, turn) : value
    },
  })
}
