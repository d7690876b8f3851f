/** A number with three digits that count, or nothing. */
export function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ''
  if (value >= 100) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}

/** A ratio, or nothing. */
export function times(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? '' : value.toFixed(2)
}

/** A table, of which the first column is text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)]
}
