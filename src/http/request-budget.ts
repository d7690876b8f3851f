import type { FastifyInstance } from 'fastify'
import { type Balance, Budget, type Budgets, secondsUntil } from '../domain/budgets.ts'
import { whenKnown } from './when-known.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request spends; undefined where rate limits are off. */
    budget: Budget | undefined
  }
}

/**
 * Charges the requests of a scope to their accounts, or without a token to their addresses, and refuses those with nothing left, unless
 * rate limits are off. Needs `viewer`.
 */
export function addBudget(scope: FastifyInstance, budgets: Budgets | undefined): void {
  if (!budgets) return
  scope.addHook('onRequest', (request, _reply, done) => {
    request.budget = new Budget(budgets, request.account)
    if (request.method !== 'OPTIONS') request.budget.requirePoints()
    done()
  })
  scope.addHook('onSend', ({ budget, method }, reply, _payload, done) => {
    if (!budget) return done()
    // A request that was refused is charged now.
    const isCharged = method !== 'OPTIONS' && reply.statusCode < 500
    whenKnown(isCharged ? budget.settle() : budget.balance(), (left) => reply.headers(headersOf(left)), done)
  })
}

/** The headers that tell what is left of a budget (draft-ietf-httpapi-ratelimit-headers). */
const headersOf = ({ limit, window, remaining, resetsAt }: Balance) => ({
  ratelimit: `"default";r=${remaining};t=${secondsUntil(resetsAt)}`,
  'ratelimit-policy': `"default";q=${limit};w=${window}`,
})
