import { z } from 'zod'
import { isDatabaseUrl } from './database-url.ts'
import { logLevels } from './log.ts'

const host = 'a host name or an IP address'
const databaseUrl = 'a URL such as postgres://user:password@host:5432/name'
const dataDir = 'the path of a folder'
const onOff = 'on or off'
const openClosed = 'open or closed'
const avatar = 'gravatar or identicon'

function wholeNumber(least: number, most: number) {
  const allowed = `a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, allowed)
    .transform(Number)
    .refine((number) => number >= least && number <= most, allowed)
}

// The message of each check is what the variable may be.
const environment = z
  .object({
    HOST: z.string().regex(/^\S+$/, host).default('127.0.0.1'),
    PORT: wholeNumber(0, 65535).default(4000),
    DATABASE_URL: z.string().refine(isDatabaseUrl, databaseUrl).optional(),
    DATABASE_POOL: wholeNumber(1, 200).default(10),
    DATA_DIR: z
      .string()
      .refine((path) => path.trim() !== '' && !path.includes('\0'), dataDir)
      .default('.data'),
    DEMO: z.enum(['on', 'off'], onOff).default('on'),
    SIGN_UP: z.enum(['open', 'closed'], openClosed).default('open'),
    AVATAR: z.enum(['gravatar', 'identicon'], avatar).default('gravatar'),
    TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
    STOP_DELAY: wholeNumber(0, 300).default(0),
    LOG_LEVEL: z.enum(logLevels, `one of ${logLevels.join(', ')}`).default('info'),
  })
  .transform((variables) => ({
    /** The address that is listened on. */
    host: variables.HOST,
    /** The port that is listened on; 0 is any free one. */
    port: variables.PORT,
    /** The PostgreSQL server; without it the database is embedded. */
    databaseUrl: variables.DATABASE_URL,
    /** The most connections to that server that requests share. */
    databasePool: variables.DATABASE_POOL,
    /** The folder of the embedded database. */
    dataDir: variables.DATA_DIR,
    /** Whether a new embedded database is filled with a demo network. */
    demo: variables.DEMO === 'on',
    /** Whether anyone may sign up. */
    signUp: variables.SIGN_UP === 'open',
    /** Whether avatars come from e-mail addresses, by Gravatar, or from the ids of users. */
    avatar: variables.AVATAR,
    /** How many reverse proxies stand in front, each of which adds to `X-Forwarded-For`. */
    trustedProxies: variables.TRUSTED_PROXIES,
    /** How many seconds a server that stops still takes requests, so that load balancers notice. */
    stopDelay: variables.STOP_DELAY,
    /** How much is logged. */
    logLevel: variables.LOG_LEVEL,
  }))
  .readonly()

/** The settings of one server, read once at the start and handed on. */
export type Config = z.infer<typeof environment>

/** Variables of the environment that have wrong values. Its message is one line for whoever starts the server. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Reads the settings from an environment. An empty variable counts as unset; a wrong one throws a `ConfigError`. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const parsed = environment.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')))
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0])
    // A URL may carry a password, which has no place in a log.
    const value = name === 'DATABASE_URL' ? 'wrong' : JSON.stringify(env[name])
    return `${name} is ${value}; it has to be ${message}.`
  })
  throw new ConfigError([...new Set(wrong)].join(' '))
}
