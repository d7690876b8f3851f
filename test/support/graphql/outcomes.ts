import { z } from 'zod'
import type { Answer } from '../app.ts'

const acted = z.record(z.string(), z.object({ action: z.string() }))

/** The outcome of one mutation: the code of its error, the `action` of its payload, or `DONE`. */
export function outcomeOf({ data, errors: [error] }: Answer): string {
  if (error) return String(error.extensions.code)
  const [payload] = Object.values(acted.safeParse(data).data ?? {})
  return payload?.action ?? 'DONE'
}

/** Counts the outcomes of mutations that were sent at the same time. */
export async function outcomes(requests: readonly Promise<Answer>[]): Promise<Record<string, number>> {
  return tally((await Promise.all(requests)).map(outcomeOf))
}

/** Counts equal texts. */
export function tally(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}
