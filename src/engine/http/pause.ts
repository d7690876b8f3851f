import type { FastifyRequest } from 'fastify'
import { releaseSlots } from './request-slots.ts'

/** Waits for changes, without a slot or a deadline. In the log, this counts as no time. */
export async function pause<T>(request: FastifyRequest, until: () => Promise<T>): Promise<T> {
  releaseSlots(request)
  const resume = [request.lifetime.suspend(), request.logEntry.suspend()]
  try {
    return await until()
  } finally {
    for (const goOn of resume) goOn()
  }
}
