import { type Balance, secondsUntil } from '../domain/budgets.ts'

/** The headers that tell a budget and what is left of it (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeaders({ limit, window, remaining, resetAt }: Balance): Readonly<Record<string, string>> {
  return {
    ratelimit: `"default";r=${remaining};t=${secondsUntil(resetAt)}`,
    'ratelimit-policy': `"default";q=${limit};w=${window}`,
  }
}
