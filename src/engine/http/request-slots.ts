import type { FastifyInstance, FastifyRequest } from 'fastify'
import { clientIsGone } from '../data/request-info.ts'
import type { GiveBack, Slots } from '../data/slots.ts'
import { whenKnown } from './when-known.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What gives back the slots that it holds: one of its address, and one of its account. */
    slots: GiveBack[]
  }
}

/** Limits how many requests of an address are in progress at once. */
export function limitAddresses(scope: FastifyInstance, addresses: Slots): void {
  scope.decorateRequest('slots')
  scope.addHook('onRequest', (request, _reply, done) => {
    request.slots = []
    // The response takes memory until it is delivered.
    request.lifetime.atEnd(() => releaseSlots(request))
    whenKnown(addresses.take(request.address), (giveBack) => request.slots.push(giveBack), done)
  })
}

/** Limits how many operations of an account, or without a token of an address, are in progress at once. */
export function limitAccounts(scope: FastifyInstance, accounts: Slots): void {
  scope.addHook('preHandler', (request, _reply, done) => {
    if (request.method === 'OPTIONS') return done()
    // Drain the body: Node.js notices a closed socket only while reading.
    if (!request.raw.complete) request.raw.resume()
    const { slots, lifetime, account, method, raw } = request
    whenKnown(
      accounts.take(account),
      (giveBack) => {
        slots.push(giveBack)
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
  for (const giveBack of slots.splice(0)) giveBack()
}
