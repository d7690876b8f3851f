import { z } from 'zod'
import type { Answer } from './app.ts'

const acted = z.record(z.string(), z.object({ action: z.string() }))

/** What came of one mutation: the code of its error, the `action` of its payload, or else `DONE`. */
export function outcomeOf({ data, errors: [error] }: Answer): string {
  if (error) return String(error.extensions.code)
  const [payload] = Object.values(acted.safeParse(data).data ?? {})
  return payload?.action ?? 'DONE'
}

/** How often each outcome came of mutations that were sent at once. */
export async function outcomes(requests: readonly Promise<Answer>[]): Promise<Record<string, number>> {
  return tally((await Promise.all(requests)).map(outcomeOf))
}

/** How often each text is there. */
export function tally(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}
