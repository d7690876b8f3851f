import type { Ledger } from './load.ts'

/** One line of the table of faults. */
export type Row = { readonly fault: string; readonly ledger: Ledger }

const sum = (codes: Readonly<Record<string, number>>) => Object.values(codes).reduce((one, other) => one + other, 0)

function line({ fault, ledger: { sent, codes, longestPause } }: Row): string {
  const acknowledged = [...sent.values()].filter((outcome) => outcome === 'acknowledged').length
  const { UNAVAILABLE = 0, OUTCOME_UNKNOWN = 0, LOST = 0 } = codes
  const cells = [fault, sum(codes), acknowledged, UNAVAILABLE, OUTCOME_UNKNOWN, LOST, (longestPause / 1_000).toFixed(1)]
  return `| ${cells.join(' | ')} |`
}

/** The table of the faults that were injected, in Markdown. */
export function tableOf(rows: readonly Row[]): string {
  const titles = ['Fault', 'Requests', 'Posts and replies kept', '503', 'Outcome unknown', 'Connection lost']
  const head = [...titles, 'Longest pause (s)']
  return [`| ${head.join(' | ')} |`, `|---|${'---:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n')
}
