import { isPromise } from '@whatwg-node/promise-helpers'
import type { FastifyInstance } from 'fastify'
import { type Balance, Budget, type Budgets, secondsUntil } from '../auth/budgets.ts'

/** Uses a value at once if it is known, so that most hooks need no promise, and then calls `done`, with the error if there is one. */
export function continueWith<T>(
  value: T | Promise<T>,
  use: (value: T) => unknown,
  done: (error?: Error) => void,
): void {
  // Not what `use` returns, because a reply of Fastify can be awaited too.
  if (isPromise(value)) value.then((known) => void use(known)).then(() => done(), done)
  else {
    use(value)
    done()
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request spends; undefined for those that are free. */
    budget: Budget | undefined
  }
}

/**
 * Charges the requests of a scope to their accounts, or without a token to their addresses, and refuses those with nothing left.
 * Needs `viewer`.
 */
export function addBudget(scope: FastifyInstance, budgets: Budgets | undefined): void {
  scope.addHook('onRequest', (request, _reply, done) => {
    request.budget = new Budget(budgets, request.rateLimitKey)
    if (request.method !== 'OPTIONS') request.budget.requirePoints()
    done()
  })
}

/**
 * Charges requests that were refused, and says in the headers of each response what it took and what is left. Precedes the log,
 * which also says it.
 */
export function reportBudgets(server: FastifyInstance): void {
  server.decorateRequest('budget')
  server.addHook('onSend', ({ budget, method }, reply, _payload, done) => {
    if (!budget) return done()
    const isCharged = method !== 'OPTIONS' && reply.statusCode < 500
    continueWith(
      isCharged ? budget.settle() : budget.balance(),
      (left) => reply.headers({ 'rookery-cost': budget.spent, ...(left && headersOf(left)) }),
      done,
    )
  })
}

/** The headers that tell what is left of a budget (draft-ietf-httpapi-ratelimit-headers). */
const headersOf = ({ limit, window, remaining, resetsAt }: Balance) => ({
  ratelimit: `"default";r=${remaining};t=${secondsUntil(resetsAt)}`,
  'ratelimit-policy': `"default";q=${limit};w=${window}`,
})
