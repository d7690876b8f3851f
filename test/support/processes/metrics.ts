import type { ServerProcess } from './rookery-process.ts'

/** The address of the metrics that a server prints. */
export const metricsUrlOf = ({ stdout }: ServerProcess) => /^ +Metrics +(\S+)$/m.exec(stdout)?.[1] ?? ''

/** The value of a series in the text for Prometheus; 0 if there is none. */
export const valueIn = (series: string, text: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length) ?? 0,
  )
