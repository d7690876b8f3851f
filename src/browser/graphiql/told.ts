import { byId } from '../element.ts'

/** Shows a line below the response. */
export function tell(line: string): void {
  byId('told', HTMLOutputElement).value = line
}

/** Shows the status of a response, how many milliseconds it took, and what it cost. */
export function tellOf({ status, headers }: Response, ms: number, more: readonly string[]): void {
  const cost = headers.get('Rookery-Cost')
  const price = cost === null ? [] : [`cost ${Number(cost).toLocaleString('en')}`]
  tell([`Status ${status}`, `${Math.round(ms)} ms`, ...price, ...more].join(' · '))
}
