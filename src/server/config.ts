import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { DatabaseOptions } from '../engine/data/database.ts'
import { hostUrls, isDatabaseUrl, isEncoded, parameterIn, sslModes } from '../engine/data/database-url.ts'
import type { Opener } from '../engine/data/embedded/embedded-server.ts'
import { logLevels } from '../engine/log.ts'
import { languageIn } from '../engine/text/language.ts'
import { type Admission, inviters, signUpModes } from '../features/accounts/admission.ts'
import { maxLanguages } from '../features/base/bounds.ts'
import { canonicalAddress, domainOf } from '../features/base/email-address.ts'
import { reservedUsernames } from '../features/base/reserved-usernames.ts'
import { usernameIn } from '../features/base/username.ts'
import type { MostByLimit } from '../features/limits/declarations.ts'

/** The bounds of `RATE_LIMIT`. The least suffices for most operations of the REST API. */
export const rateLimits = { min: 1_000, max: 999_999_999 } as const

const isRedisUrl = (text: string) => /^rediss?:/.test(text) && isEncoded(text) && URL.canParse(text)

// Each check's message completes the sentence "It must be …".
const urlLike = (example: string) => `a URL such as ${example}, percent-encoded (%2F for / and so on)`

const onOff = z.enum(['on', 'off'], 'on or off')

function integer(min: number, max: number, otherwise = '') {
  const allowed = `${otherwise}an integer from ${min} to ${max}`
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, allowed)
    .transform(Number)
    .refine((number) => number >= min && number <= max, allowed)
}

/** A list, separated by spaces or commas, whose items `parse` brings into their form. */
function listOf(parse: (text: string) => string | undefined, example: string) {
  const allowed = `${example}, separated by spaces or commas`
  return z
    .string()
    .default('')
    .transform((text) => text.split(/[\s,]+/).flatMap((item) => (item === '' ? [] : [parse(item)])))
    .pipe(z.array(z.string(allowed)))
}

const domainIn = (text: string) => {
  const address = canonicalAddress(`x@${text}`)
  return address && domainOf(address)
}

const { min, max } = rateLimits
const isContact = (text: string) =>
  z.regexes.html5Email.test(text) || (/^https:\/\/[^\s@]{1,500}$/.test(text) && URL.canParse(text))

const rateLimit = z.union([z.literal('off'), integer(min, max, 'off or ')], `off or an integer from ${min} to ${max}`)

/** How much an account may do in the window of a limit. */
const limit = z.union([z.literal('off'), integer(1, 1_000_000, 'off or ')], 'off or an integer from 1 to 1000000')

/** The number of a setting that can be off. */
const unlessOff = (setting: number | 'off') => (setting === 'off' ? undefined : setting)

const serverUrl = z
  .string()
  .refine(isDatabaseUrl, { message: urlLike('postgres://user:password@host:5432/name'), abort: true })
  .refine(
    (url) => sslModes.includes(parameterIn(url, 'sslmode') ?? 'disable'),
    `a URL with an sslmode of ${sslModes.join(', ')}`,
  )
  .refine(
    (url) => parameterIn(url, 'sslmode') !== 'verify-ca' || parameterIn(url, 'sslrootcert') !== undefined,
    'a URL with sslrootcert, which sslmode=verify-ca requires',
  )
  .refine(
    (url) => ['true', 'false'].includes(parameterIn(url, 'pgbouncer') ?? 'false'),
    'a URL with a pgbouncer of true or false',
  )

const variables = z.object({
  HOST: z.string().regex(/^\S+$/, 'a host name or an IP address').default('127.0.0.1'),
  PORT: integer(0, 65535).default(4000),
  // For a path of Rookery itself, nobody could tell whether a proxy has removed it.
  BASE_PATH: z
    .string()
    .regex(
      /^(?!\/(?:api|appeal|assets|graphql|health|mcp|nodeinfo|oauth|reset|sign-up|timeline|verify)(?:\/|$))(?:\/[\w~-]+)+\/?$/,
      'a path such as /rookery, other than those of Rookery itself',
    )
    .optional(),
  DATABASE_URL: serverUrl
    .refine(
      (url) => ['read-write', 'primary'].includes(parameterIn(url, 'target_session_attrs') ?? 'primary'),
      'a URL with a target_session_attrs of read-write or primary, which mean the same to Rookery',
    )
    .optional(),
  DATABASE_REPLICA_URLS: z
    .string()
    .transform((text) => text.split(/\s+/))
    .pipe(z.array(serverUrl.refine((url) => hostUrls(url).length === 1, 'URLs with one host each')))
    .optional(),
  DATABASE_POOL: integer(1, 200).default(10),
  WORKERS: z.union([z.literal('auto'), integer(1, 256, 'auto or ')], 'auto or an integer from 1 to 256').default(1),
  DATA_DIR: z.string().default('.data'),
  DEMO: onOff.default('on'),
  SIGN_UP: z.enum(signUpModes, `one of ${signUpModes.join(', ')}`).default('open'),
  INVITATIONS: z.enum(inviters, inviters.join(' or ')).default('moderators'),
  USERNAMES_RESERVED: listOf(usernameIn, 'usernames such as mayor'),
  EMAIL_DOMAINS_REFUSED: listOf(domainIn, 'domains such as mail.example'),
  DOCUMENTS: z.enum(['all', 'trusted'], 'all or trusted').default('all'),
  GRAPHIQL: onOff.default('on'),
  MCP: onOff.default('on'),
  INTROSPECTION: onOff.default('on'),
  CLIENT_REGISTRATION: onOff.default('off'),
  CLIENT_METADATA_LOOPBACK: onOff.default('off'),
  AVATAR: z.enum(['gravatar', 'identicon'], 'gravatar or identicon').default('gravatar'),
  TRUST_PROXY: integer(0, 10).default(0),
  // Half of the database time of one processor core: a point is about 5 microseconds of it.
  RATE_LIMIT: rateLimit.default(1000000),
  RATE_LIMIT_WINDOW: integer(1, 3_600).default(10),
  LIMIT_PUBLICATIONS: limit.default(300),
  LIMIT_FOLLOWS: limit.default(400),
  LIMIT_MENTIONS: limit.default(50),
  LIMIT_REPORTS: limit.default(50),
  LIMIT_LIKES: limit.default(2000),
  REDIS_URL: z.string().refine(isRedisUrl, urlLike('redis://user:password@host:6379/0')).optional(),
  CHANGES_KEPT: integer(1, 365).default(7),
  REPORTS_KEPT: integer(1, 3_650).default(30),
  NOTIFICATIONS_KEPT: integer(1, 3_650).default(90),
  DELETION_DELAY: integer(0, 365).default(7),
  REQUESTS_PER_ADDRESS: integer(1, 65535).default(500),
  HEADER_SIZE: integer(2048, 65536).default(16384),
  TIMEOUT_HEADERS: integer(1, 3600).default(10),
  TIMEOUT_REQUEST: integer(1, 3600).default(30),
  TIMEOUT_RESPONSE: integer(1, 3600).default(45),
  TIMEOUT_READ: integer(1, 3600).default(30),
  TIMEOUT_IDLE: integer(1, 3600).default(75),
  STOP_DELAY: integer(0, 300).default(0),
  PUBLIC_URL: z
    .string()
    .refine((url) => /^https?:\/\/[^?#@]+$/.test(url) && URL.canParse(url), 'a URL such as https://social.example')
    // As browsers write it, because pages compare it with their origin.
    .transform((url) => new URL(url).href.replace(/\/+$/, ''))
    .optional(),
  SITE_NAME: z
    .string()
    .regex(/^[^\p{Cc}]{1,50}$/u, 'a name of 1 to 50 characters')
    .default('Rookery'),
  SITE_DESCRIPTION: z
    .string()
    .regex(/^[^\p{Cc}]{1,500}$/u, 'a text of 1 to 500 characters in one line')
    .optional(),
  SITE_LANGUAGES: listOf(languageIn, 'language tags such as en').pipe(
    z
      .array(z.string())
      .max(maxLanguages, `at most ${maxLanguages} language tags`)
      .transform((tags) => [...new Set(tags)]),
  ),
  NODEINFO: onOff.default('on'),
  RULES_FILE: z.string().optional(),
  CONTACT: z.string().refine(isContact, 'an e-mail address or a URL such as https://social.example/contact').optional(),
  SMTP_URL: z
    .string()
    .refine(
      (url) => /^smtps?:\/\//.test(url) && isEncoded(url) && URL.canParse(url),
      urlLike('smtp://user:password@host:587'),
    )
    .optional(),
  MAIL_FROM: z.string().regex(z.regexes.html5Email, 'an e-mail address').optional(),
  SIGN_IN_NOTICE: onOff.default('on'),
  SECRETS_KEY: z
    .string()
    .regex(/^[\w+/=-]{43,128}$/, 'a random key as `openssl rand -base64 32` prints it')
    .optional(),
  LOG_LEVEL: z.enum(logLevels, `one of ${logLevels.join(', ')}`).default('info'),
  METRICS_PORT: integer(0, 65535).optional(),
})

const environment = variables
  .refine(({ WORKERS, DATABASE_URL }) => WORKERS === 1 || DATABASE_URL !== undefined, {
    path: ['WORKERS'],
    message: '1 without DATABASE_URL',
  })
  .refine(({ DATABASE_REPLICA_URLS, DATABASE_URL }) => !DATABASE_REPLICA_URLS || DATABASE_URL !== undefined, {
    path: ['DATABASE_REPLICA_URLS'],
    message: 'unset without DATABASE_URL',
  })
  .refine(({ SMTP_URL, PUBLIC_URL }) => SMTP_URL === undefined || PUBLIC_URL !== undefined, {
    path: ['PUBLIC_URL'],
    message: 'set with SMTP_URL, for the links in e-mails',
  })
  .transform((values) => ({
    /** The address to listen on. */
    host: values.HOST,
    /** The port to listen on; 0 selects any free port. */
    port: values.PORT,
    /** What precedes all paths behind a proxy that serves more than Rookery, such as `/rookery`. Empty for nothing. */
    prefix: values.BASE_PATH?.replace(/\/$/, '') ?? '',
    /** The PostgreSQL server. If undefined, the database is embedded. */
    databaseUrl: values.DATABASE_URL,
    /** Its replicas, to which queries go. */
    databaseReplicaUrls: values.DATABASE_REPLICA_URLS ?? [],
    /** The maximum number of connections of a process to each of these servers for requests. */
    databasePool: values.DATABASE_POOL,
    /** How many processes serve. */
    workers: values.WORKERS === 'auto' ? availableParallelism() : values.WORKERS,
    /** The folder of the embedded database. */
    dataDir: values.DATA_DIR,
    /** Whether a new embedded database is filled with a demo network. */
    demo: values.DEMO === 'on',
    /** Whom the server admits. */
    admission: {
      signUp: values.SIGN_UP,
      invitations: values.INVITATIONS,
      reservedUsernames: reservedUsernames(values.USERNAMES_RESERVED),
      refusedDomains: new Set(values.EMAIL_DOMAINS_REFUSED),
    } satisfies Admission as Admission,
    /** Whether only stored GraphQL documents are run. */
    onlyTrustedDocuments: values.DOCUMENTS === 'trusted',
    /** Whether browsers get GraphiQL at `/graphql`. */
    graphiql: values.GRAPHIQL === 'on',
    /** Whether agents are served at `/mcp`. */
    mcp: values.MCP === 'on',
    /** Whether clients may read the GraphQL schema. */
    introspection: values.INTROSPECTION === 'on',
    /** Whether applications may register themselves (RFC 7591). */
    clientRegistration: values.CLIENT_REGISTRATION === 'on',
    /** Whether the metadata of applications may come from this machine, for development and tests. */
    clientMetadataLoopback: values.CLIENT_METADATA_LOOPBACK === 'on',
    /** Whether avatars derive from e-mail addresses (Gravatar) or from user ids. */
    avatar: values.AVATAR,
    /** The number of reverse proxies in front of the server, each of which appends to `X-Forwarded-For`. */
    trustedProxies: values.TRUST_PROXY,
    /**
     * The points that an account, or without a token an address, may spend in a window of this many seconds. If undefined, nothing
     * is limited by rate.
     */
    rateLimit:
      values.RATE_LIMIT === 'off' ? undefined : { points: values.RATE_LIMIT, seconds: values.RATE_LIMIT_WINDOW },
    /** How much an account may do in the window of each limit; undefined for what is not limited. */
    limits: {
      publications: unlessOff(values.LIMIT_PUBLICATIONS),
      follows: unlessOff(values.LIMIT_FOLLOWS),
      mentions: unlessOff(values.LIMIT_MENTIONS),
      reports: unlessOff(values.LIMIT_REPORTS),
      likes: unlessOff(values.LIMIT_LIKES),
    } satisfies MostByLimit as MostByLimit,
    /** The Redis server that counts for all processes. If undefined, each counts on its own. */
    redisUrl: values.REDIS_URL,
    /** For how many days the change feed keeps changes. */
    changesKept: values.CHANGES_KEPT,
    /** For how many days reports are kept after they are closed, and appeals after they are answered. */
    reportsKept: values.REPORTS_KEPT,
    /** For how many days notifications are kept after the last event that they tell of. */
    notificationsKept: values.NOTIFICATIONS_KEPT,
    /** For how many days owners can cancel the deletion of their accounts by signing in. */
    deletionDelay: values.DELETION_DELAY,
    /** The most requests of an address that are in progress at the same time. */
    requestsPerAddress: values.REQUESTS_PER_ADDRESS,
    /** The most bytes of the headers of a request. */
    headerSize: values.HEADER_SIZE,
    /** In milliseconds. */
    timeouts: {
      /** To receive the headers of a request. */
      headers: values.TIMEOUT_HEADERS * 1_000,
      /** To receive a whole request. */
      request: values.TIMEOUT_REQUEST * 1_000,
      /** From the headers of a request until its response is known. */
      response: values.TIMEOUT_RESPONSE * 1_000,
      /** For the client to receive a response. */
      delivery: values.TIMEOUT_READ * 1_000,
      /**
       * Of a connection between two requests. By default it exceeds that of load balancers, so that they do not meet a closed
       * connection.
       */
      idle: values.TIMEOUT_IDLE * 1_000,
    },
    /** How many seconds a stopping server keeps accepting requests, until load balancers have noticed. */
    stopDelay: values.STOP_DELAY,
    /** The public URL of the server, which links begin with. */
    publicUrl: values.PUBLIC_URL,
    /** The name of the server. */
    siteName: values.SITE_NAME,
    /** What the server is for, in plain text. */
    siteDescription: values.SITE_DESCRIPTION,
    /** The languages of the server, as canonical tags. */
    siteLanguages: values.SITE_LANGUAGES,
    /** Whether crawlers get NodeInfo. */
    nodeinfo: values.NODEINFO === 'on',
    /** The file with the rules of the server, in Markdown. */
    rulesFile: values.RULES_FILE,
    /** How to reach the operator: an e-mail address or an https URL. */
    contact: values.CONTACT,
    /**
     * The mail server, the name by which it is greeted, the sender, and whether each sign-in sends an e-mail. If undefined, none
     * are sent.
     */
    mail:
      values.SMTP_URL === undefined
        ? undefined
        : {
            url: values.SMTP_URL,
            host: new URL(values.PUBLIC_URL ?? '').hostname,
            from: values.MAIL_FROM ?? `noreply@${new URL(values.PUBLIC_URL ?? '').hostname}`,
            signInNotice: values.SIGN_IN_NOTICE === 'on',
          },
    /** The key that encrypts secrets in the database. If undefined, no account can set up a second factor. */
    secretsKey: values.SECRETS_KEY,
    /** The lowest level that is logged. */
    logLevel: values.LOG_LEVEL,
    /** The port of the metrics. If undefined, nothing is measured. */
    metricsPort: values.METRICS_PORT,
  }))
  .readonly()

/** The configuration of one server, read once at startup. */
export type Config = z.infer<typeof environment>

/** The names of all environment variables that configure Rookery. */
export const variableNames: readonly string[] = Object.keys(variables.shape)

/** A key, and URLs that may contain passwords, which must not be logged. */
const withSecrets: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'DATABASE_REPLICA_URLS',
  'REDIS_URL',
  'SMTP_URL',
  'SECRETS_KEY',
])

/** Thrown for invalid environment variables. The message is one line that names each of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration. A blank variable counts as unset; an invalid one throws a `ConfigError`. Files from Windows leave a carriage
 * return at the end of each value.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim() || undefined])
  const parsed = environment.safeParse(Object.fromEntries(trimmed))
  if (parsed.success) return parsed.data
  const invalid = parsed.error.issues.map(({ path, message }) => {
    const name = String(path[0])
    const value = withSecrets.has(name) ? 'invalid' : (JSON.stringify(env[name]) ?? 'unset')
    return `${name} is ${value}; it must be ${message}.`
  })
  throw new ConfigError([...new Set(invalid)].join(' '))
}

/** The database that the configuration selects. */
export function databaseOptions(config: Config, opener: Opener): DatabaseOptions {
  const { databaseUrl: url, databasePool: poolSize, dataDir } = config
  if (url === undefined) return { kind: 'embedded', folder: resolve(dataDir), opener }
  const replicaUrls = opener === 'server' ? config.databaseReplicaUrls : []
  return { kind: 'server', url, poolSize, replicaUrls, opener }
}
