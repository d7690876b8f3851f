const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat('en')

/** How long ago a time was. */
export function ago(time: string): string {
  const seconds = (Date.now() - Date.parse(time)) / 1_000
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? []
  return unit ? relative.format(-Math.floor(seconds / length), unit) : 'now'
}

/** A time in full. */
export const inFull = (time: string) => new Date(time).toLocaleString([], { dateStyle: 'full', timeStyle: 'short' })

setInterval(() => {
  for (const time of document.querySelectorAll('time')) time.textContent = ago(time.dateTime)
}, 60_000)
