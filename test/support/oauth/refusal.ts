import { z } from 'zod'

const refusal = z.object({ error: z.string() })

/** The code of the error that a client gets; `none` if it succeeds. */
export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    return refusal.parse(error).error
  }
}
