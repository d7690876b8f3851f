import { byId } from '../dom.ts'

/** Shows a line below the response. */
export function showStatus(line: string): void {
  byId('status', HTMLOutputElement).value = line
}

/** Shows the status of a response, how many milliseconds it took, and what it cost. */
export function showResponse({ status, headers }: Response, ms: number, more: readonly string[]): void {
  const cost = headers.get('Rookery-Cost')
  const price = cost === null ? [] : [`cost ${Number(cost).toLocaleString('en')}`]
  showStatus([`Status ${status}`, `${Math.round(ms)} ms`, ...price, ...more].join(' · '))
}
