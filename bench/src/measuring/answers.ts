import type { Request } from '../works/speaker.ts'
import type { Work } from '../works/work.ts'

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/

/** Sends a request and takes the JSON of its answer. */
export async function ask(origin: string, { method, path, headers, body }: Request): Promise<unknown> {
  const response = await fetch(`${origin}${path}`, { method, headers, body })
  const text = await response.text()
  if (response.status !== 200)
    throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 500)}`)
  const answer: unknown = JSON.parse(text)
  if (answer !== null && typeof answer === 'object' && 'errors' in answer)
    throw new Error(`${method} ${path} was answered with ${text.slice(0, 500)}`)
  return answer
}

/**
 * An answer in the common form: times to the millisecond in UTC; a cursor is only there or not, as each server makes its own; the
 * alias of a fresh document is gone, and what a work ignores is left out.
 */
export function normalised(answer: unknown, { ignored = [] }: Work): unknown {
  const visit = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => visit(item, key))
    if (value !== null && typeof value === 'object') {
      const entries = Object.entries(value)
        .filter(([name]) => !ignored.includes(name))
        .map(([name, inner]): [string, unknown] => [name.replace(/^home_\d+$/, 'homeTimeline'), visit(inner, name)])
      return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
    }
    if (key === 'cursor' || key === 'endCursor') return value === null ? null : 'a cursor'
    return typeof value === 'string' && time.test(value) ? new Date(value).toISOString() : value
  }
  return visit(answer, '')
}

/** Where two normalised answers differ first, or undefined. */
export function difference(one: unknown, other: unknown, path = 'the answer'): string | undefined {
  if (one !== null && other !== null && typeof one === 'object' && typeof other === 'object') {
    const [first, second] = [new Map(Object.entries(one)), new Map(Object.entries(other))]
    for (const key of new Set([...first.keys(), ...second.keys()])) {
      const found = difference(first.get(key), second.get(key), `${path}.${key}`)
      if (found) return found
    }
    return undefined
  }
  return Object.is(one, other) ? undefined : `${path} is ${JSON.stringify(one)} there and ${JSON.stringify(other)} here`
}
