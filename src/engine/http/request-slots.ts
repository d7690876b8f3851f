import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KeyedSemaphore, Release } from '../data/keyed-semaphore.ts'
import { clientIsGone } from '../data/request-info.ts'
import { continueWith } from './request-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What gives back the slots that it holds: one of its address, and one of its account. */
    slots: Release[]
  }
}

/** Limits how many requests of an address are in progress at once. */
export function limitAddresses(scope: FastifyInstance, addresses: KeyedSemaphore): void {
  scope.decorateRequest('slots')
  scope.addHook('onRequest', (request, _reply, done) => {
    request.slots = []
    // The response takes memory until it is delivered.
    request.lifetime.atEnd(() => releaseSlots(request))
    continueWith(addresses.take(request.address), (release) => request.slots.push(release), done)
  })
}

/** Limits how many operations of an account, or without a token of an address, are in progress at once. */
export function limitAccounts(scope: FastifyInstance, accounts: KeyedSemaphore): void {
  scope.addHook('preHandler', (request, _reply, done) => {
    if (request.method === 'OPTIONS') return done()
    // Drain the body: Node.js notices a closed socket only while reading.
    if (!request.raw.complete) request.raw.resume()
    const { slots, lifetime, rateLimitKey, method, raw } = request
    continueWith(
      accounts.take(rateLimitKey),
      (release) => {
        slots.push(release)
        if (lifetime.isOver || !raw.socket.writable) {
          releaseSlots(request)
          throw clientIsGone()
        }
        lifetime.mayHaveWritten = method !== 'GET' && method !== 'HEAD'
      },
      done,
    )
  })
}

/** Gives all slots of a request back. */
export function releaseSlots({ slots }: FastifyRequest): void {
  for (const release of slots.splice(0)) release()
}

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
