import { parseArgs } from 'node:util'

/** What one run of the stress command does. */
export type StressOptions = {
  readonly databaseUrl: string
  /** The kinds of databases, or how their names begin; empty for both. */
  readonly databases: readonly string[]
  /** Names of attacks, or how they begin; empty for all. */
  readonly attacks: readonly string[]
  /** How long each attack lasts. */
  readonly seconds: number
  /** Whether Rookery is attacked as it was built before. */
  readonly skipBuild: boolean
  /** Where the report is written; nowhere when it is empty. */
  readonly out: string
}

const listOf = (text: string) => text.split(',').filter((name) => name !== '')

/** Reads the options of the command line; the database server comes from `DATABASE_URL`. */
export function readStressOptions(args: readonly string[], env: NodeJS.ProcessEnv): StressOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      databases: { type: 'string', default: '' },
      attacks: { type: 'string', default: '' },
      seconds: { type: 'string', default: '8' },
      'skip-build': { type: 'boolean', default: false },
      out: { type: 'string', default: '' },
    },
  })
  const seconds = Number(values.seconds)
  if (!(seconds > 0 && seconds <= 60)) throw new Error(`--seconds is ${values.seconds}; it has to be from 0 to 60.`)
  return {
    databaseUrl: env.DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres',
    databases: listOf(values.databases),
    attacks: listOf(values.attacks),
    seconds,
    skipBuild: values['skip-build'],
    out: values.out,
  }
}
