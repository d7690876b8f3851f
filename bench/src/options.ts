import { type ParseArgsConfig, parseArgs } from 'node:util'

/** What one run of the benchmark does. */
export type Options = {
  /** The PostgreSQL server; the database that it names is used for creating the benchmark's own. */
  readonly databaseUrl: string
  /** The name of the benchmark's own database. */
  readonly database: string
  /** The sizes of the network, as `rookery seed` takes them. */
  readonly network: Network
  /** Names of works to measure, or how they begin; empty for all. */
  readonly works: readonly string[]
  /** Names of servers to measure, or how they begin; empty for all. */
  readonly servers: readonly string[]
  /** How long each measurement lasts. */
  readonly seconds: number
  /** How often each server is measured at each work. */
  readonly rounds: number
  /** The folder of another build of Rookery to measure beside this one, such as a former version; '' for none. */
  readonly before: string
  /** The numbers of HTTP connections to measure with. */
  readonly connections: readonly number[]
  /** Database connections of each server. */
  readonly pool: number
  /** How many streams wait for the posts of the work `live`. */
  readonly subscribers: number
  /** Whether Rookery is measured as it was built before. */
  readonly skipBuild: boolean
  /** Whether to stop when the answers have been found equal. */
  readonly checkOnly: boolean
  /** Where the report is written. */
  readonly out: string
}

/** The sizes of a network. */
export type Network = Readonly<Record<'users' | 'posts' | 'likes' | 'follows' | 'seed', number>>

const defaults: Defaults = {
  database: 'rookery_bench',
  users: '20000',
  posts: '300000',
  likes: '1000000',
  follows: '400000',
  seed: '2021',
  works: '',
  servers: '',
  seconds: '1',
  rounds: '5',
  connections: '16,128',
  pool: '8',
  subscribers: '1000',
  before: '',
  out: 'RESULTS.md',
}

/** What the options are when they are not given. */
export type Defaults = Readonly<
  Record<Exclude<keyof Options, 'databaseUrl' | 'network' | 'skipBuild' | 'checkOnly'> | keyof Network, string>
>

function positive(name: string, text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name} is ${text}; it has to be a number above 0.`)
  return number
}

const listOf = (text: string) => text.split(',').filter((name) => name !== '')

/** Reads the options of the command line; the database server comes from `DATABASE_URL`. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv, changed: Partial<Defaults> = {}): Options {
  const options: NonNullable<ParseArgsConfig['options']> = {
    'check-only': { type: 'boolean' },
    'skip-build': { type: 'boolean' },
  }
  for (const [name, value] of Object.entries({ ...defaults, ...changed }))
    options[name] = { type: 'string', default: value }
  const { values } = parseArgs({ args: [...args], options })
  const text = (name: keyof Defaults) => String(values[name])
  const number = (name: keyof Defaults) => positive(name, text(name))
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(text('database'))) throw new Error('--database has to be a plain name.')
  return {
    databaseUrl: env.DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres',
    database: text('database'),
    network: {
      users: number('users'),
      posts: number('posts'),
      likes: number('likes'),
      follows: number('follows'),
      seed: number('seed'),
    },
    works: listOf(text('works')),
    servers: listOf(text('servers')),
    seconds: number('seconds'),
    rounds: number('rounds'),
    connections: listOf(text('connections')).map((count) => positive('connections', count)),
    pool: number('pool'),
    subscribers: number('subscribers'),
    before: text('before'),
    skipBuild: values['skip-build'] === true,
    checkOnly: values['check-only'] === true,
    out: text('out'),
  }
}

/** Whether a name is asked for: by itself, by how it begins, or because nothing in particular is. */
export function isAskedFor(name: string, asked: readonly string[]): boolean {
  return asked.length === 0 || asked.some((start) => name.startsWith(start))
}

/** Throws for a name that is asked for and begins none of those that there are. */
export function requireKnown(option: 'servers' | 'works', asked: readonly string[], known: readonly string[]): void {
  const unknown = asked.find((start) => !known.some((name) => name.startsWith(start)))
  if (unknown !== undefined) throw new Error(`--${option} has ${unknown}; there are ${known.join(', ')}.`)
}
