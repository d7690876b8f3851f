import { Prisma } from '../data/generated/prisma/client.ts'
import type { Edge } from './edges.ts'

const columnOf = (name: string | undefined) => (name === undefined ? undefined : Prisma.raw(name))

/** The names of an edge, for statements of Prisma: its table, the columns of its ends, and its counters there. */
export function namesOf({ table, from, to, counts }: Edge) {
  return {
    table: Prisma.raw(table),
    from: Prisma.raw(`${from}_id`),
    to: Prisma.raw(`${to}_id`),
    made: columnOf(counts?.from),
    got: columnOf(counts?.to),
  }
}
