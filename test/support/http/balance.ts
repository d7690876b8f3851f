import { z } from 'zod'

const integers = z.array(z.string().transform(Number)).length(2)

function parametersOf(header: string | null, pattern: RegExp): number[] {
  return integers.parse(pattern.exec(header ?? '')?.slice(1))
}

/** The budget of whoever sent a request, as the headers of the response tell it. */
export function balanceOf(headers: Headers) {
  const [limit, window] = parametersOf(headers.get('ratelimit-policy'), /^"default";q=(\d+);w=(\d+)$/)
  const [remaining = Number.NaN, resetsIn] = parametersOf(headers.get('ratelimit'), /^"default";r=(\d+);t=(\d+)$/)
  return { limit, window, remaining, resetsIn }
}
