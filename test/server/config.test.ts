import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { reservedUsernames } from '../../src/features/base/reserved-usernames.ts'
import { type Config, ConfigError, readConfig } from '../../src/server/config.ts'

const defaults = {
  host: '127.0.0.1',
  port: 4000,
  prefix: '',
  databaseUrl: undefined,
  databaseReplicaUrls: [],
  databasePool: 10,
  workers: 1,
  dataDir: '.data',
  demo: true,
  admission: {
    signUp: 'open',
    invitations: 'moderators',
    reservedUsernames: reservedUsernames([]),
    refusedDomains: new Set(),
  } as Config['admission'],
  onlyTrustedDocuments: false,
  graphiql: true,
  mcp: true,
  introspection: true,
  clientRegistration: false,
  clientMetadataLoopback: false,
  avatar: 'gravatar',
  trustedProxies: 0,
  rateLimit: { points: 1_000_000, seconds: 10 },
  limits: { publications: 300, follows: 400, mentions: 50, reports: 50, likes: 2_000 },
  redisUrl: undefined,
  changesKept: 7,
  reportsKept: 30,
  notificationsKept: 90,
  requestsPerAddress: 500,
  headerSize: 16_384,
  timeouts: { headers: 10_000, request: 30_000, response: 45_000, delivery: 30_000, idle: 75_000 },
  stopDelay: 0,
  deletionDelay: 7,
  publicUrl: undefined,
  siteName: 'Rookery',
  siteDescription: undefined,
  contact: undefined,
  siteLanguages: [],
  nodeinfo: true,
  rulesFile: undefined,
  mail: undefined,
  logLevel: 'info',
  metricsPort: undefined,
}

const admitting = (rules: Partial<Config['admission']>) => ({ admission: { ...defaults.admission, ...rules } })
const refusedDomains = new Set(['spam.example', 'xn--bcher-kva.example'])
const databaseUrl = 'postgresql://db.example:5433/rookery?user=me@db&password=pass%20word&sslmode=require'
const redisUrl = 'rediss://rookery:secret@redis.example:6380/1'

test('an empty environment gives the defaults, frozen', () => {
  const config = readConfig({})
  expect(config).toEqual(defaults)
  expect(Object.isFrozen(config)).toBe(true)
})

test('a mail server requires the URL that links begin with', () => {
  const smtp = { SMTP_URL: 'smtp://user:secret@mail.example:587' }
  expect(() => readConfig(smtp)).toThrow('PUBLIC_URL is unset; it must be set with SMTP_URL, for the links in e-mails.')
  expect(readConfig({ ...smtp, PUBLIC_URL: 'https://nest.example:8443/x' }).mail).toEqual({
    url: smtp.SMTP_URL,
    host: 'nest.example',
    from: 'noreply@nest.example',
    signInNotice: true,
  })
  const more = { PUBLIC_URL: 'https://nest.example', MAIL_FROM: 'nest@mail.example', SIGN_IN_NOTICE: 'off' }
  expect(readConfig({ ...smtp, ...more }).mail).toMatchObject({ from: 'nest@mail.example', signInNotice: false })
  expect(() => readConfig({ SMTP_URL: 'mail.example' })).toThrow('SMTP_URL is invalid; it must be a URL such as')
})

test.each<readonly [string, string, Partial<Config>]>([
  ['HOST', '::', { host: '::' }],
  ['PORT', '0', { port: 0 }],
  ['BASE_PATH', '/social/rookery-1', { prefix: '/social/rookery-1' }],
  ['BASE_PATH', '/rookery/', { prefix: '/rookery' }],
  ['DATABASE_URL', databaseUrl, { databaseUrl }],
  ['DATABASE_POOL', '200', { databasePool: 200 }],
  ['WORKERS', '1', { workers: 1 }],
  ['DATA_DIR', '/var/lib/rookery', { dataDir: '/var/lib/rookery' }],
  ['DEMO', 'off', { demo: false }],
  ['SIGN_UP', 'closed', admitting({ signUp: 'closed' })],
  ['INVITATIONS', 'members', admitting({ invitations: 'members' })],
  [
    'USERNAMES_RESERVED',
    'Mayor, @town_hall',
    admitting({ reservedUsernames: reservedUsernames(['mayor', 'townhall']) }),
  ],
  ['EMAIL_DOMAINS_REFUSED', 'Spam.example bücher.example', admitting({ refusedDomains })],
  ['DOCUMENTS', 'trusted', { onlyTrustedDocuments: true }],
  ['GRAPHIQL', 'off', { graphiql: false }],
  ['MCP', 'off', { mcp: false }],
  ['INTROSPECTION', 'off', { introspection: false }],
  ['CLIENT_REGISTRATION', 'on', { clientRegistration: true }],
  ['CLIENT_METADATA_LOOPBACK', 'on', { clientMetadataLoopback: true }],
  ['AVATAR', 'identicon', { avatar: 'identicon' }],
  ['TRUST_PROXY', '2', { trustedProxies: 2 }],
  ['RATE_LIMIT', '5000', { rateLimit: { points: 5_000, seconds: 10 } }],
  ['RATE_LIMIT', 'off', { rateLimit: undefined }],
  ['RATE_LIMIT_WINDOW', '60', { rateLimit: { points: 1_000_000, seconds: 60 } }],
  ['LIMIT_LIKES', '3000', { limits: { publications: 300, follows: 400, mentions: 50, reports: 50, likes: 3_000 } }],
  [
    'LIMIT_PUBLICATIONS',
    'off',
    { limits: { publications: undefined, follows: 400, mentions: 50, reports: 50, likes: 2_000 } },
  ],
  ['REDIS_URL', redisUrl, { redisUrl }],
  ['CHANGES_KEPT', '30', { changesKept: 30 }],
  ['REPORTS_KEPT', '7', { reportsKept: 7 }],
  ['NOTIFICATIONS_KEPT', '30', { notificationsKept: 30 }],
  ['DELETION_DELAY', '30', { deletionDelay: 30 }],
  ['PUBLIC_URL', 'https://nest.example/social/', { publicUrl: 'https://nest.example/social' }],
  ['PUBLIC_URL', 'https://Nest.example:443', { publicUrl: 'https://nest.example' }],
  ['SITE_NAME', 'The Nest', { siteName: 'The Nest' }],
  ['SITE_DESCRIPTION', 'For all who watch rooks.', { siteDescription: 'For all who watch rooks.' }],
  ['SITE_LANGUAGES', 'EN  pt-br en', { siteLanguages: ['en', 'pt-BR'] }],
  ['NODEINFO', 'off', { nodeinfo: false }],
  ['RULES_FILE', 'rules.md', { rulesFile: 'rules.md' }],
  ['CONTACT', 'rooks@nest.example', { contact: 'rooks@nest.example' }],
  ['CONTACT', 'https://nest.example/contact', { contact: 'https://nest.example/contact' }],
  ['REQUESTS_PER_ADDRESS', '9', { requestsPerAddress: 9 }],
  ['HEADER_SIZE', '8192', { headerSize: 8_192 }],
  ['TIMEOUT_HEADERS', '1', { timeouts: { ...defaults.timeouts, headers: 1_000 } }],
  ['TIMEOUT_REQUEST', '2', { timeouts: { ...defaults.timeouts, request: 2_000 } }],
  ['TIMEOUT_RESPONSE', '3', { timeouts: { ...defaults.timeouts, response: 3_000 } }],
  ['TIMEOUT_READ', '4', { timeouts: { ...defaults.timeouts, delivery: 4_000 } }],
  ['TIMEOUT_IDLE', '5', { timeouts: { ...defaults.timeouts, idle: 5_000 } }],
  ['STOP_DELAY', '5', { stopDelay: 5 }],
  ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ['METRICS_PORT', '9464', { metricsPort: 9_464 }],
])('%s=%s is read, also with a line end of Windows, and counts as unset when it is blank', (name, value, change) => {
  for (const end of ['', '\r', ' ']) {
    expect(readConfig({ [name]: value + end, PATH: '/bin' })).toEqual({ ...defaults, ...change })
    expect(readConfig({ [name]: end })).toEqual(defaults)
  }
})

test('WORKERS is a number, or one for each processor core, on a PostgreSQL server', () => {
  expect(readConfig({ DATABASE_URL: databaseUrl, WORKERS: '3' }).workers).toBe(3)
  expect(readConfig({ DATABASE_URL: databaseUrl, WORKERS: 'auto' }).workers).toBe(availableParallelism())
})

test.each([
  ['HOST', 'a b', 'HOST is "a b"; it must be a host name or an IP address.'],
  ['PORT', 'http', 'PORT is "http"; it must be an integer from 0 to 65535.'],
  ['PORT', '65536', 'PORT is "65536"; it must be an integer from 0 to 65535.'],
  [
    'BASE_PATH',
    'rookery',
    'BASE_PATH is "rookery"; it must be a path such as /rookery, other than those of Rookery itself.',
  ],
  [
    'BASE_PATH',
    '/a"b',
    'BASE_PATH is "/a\\"b"; it must be a path such as /rookery, other than those of Rookery itself.',
  ],
  ['BASE_PATH', '/api', 'BASE_PATH is "/api"; it must be a path such as /rookery, other than those of Rookery itself.'],
  ['DATABASE_POOL', '201', 'DATABASE_POOL is "201"; it must be an integer from 1 to 200.'],
  ['WORKERS', 'auto', 'WORKERS is "auto"; it must be 1 without DATABASE_URL.'],
  ['DEMO', 'true', 'DEMO is "true"; it must be on or off.'],
  ['AVATAR', 'off', 'AVATAR is "off"; it must be gravatar or identicon.'],
  ['RATE_LIMIT', '0', 'RATE_LIMIT is "0"; it must be off or an integer from 1000 to 999999999.'],
  ['TRUST_PROXY', '-1', 'TRUST_PROXY is "-1"; it must be an integer from 0 to 10.'],
  [
    'PUBLIC_URL',
    'https://nest.example?a',
    'PUBLIC_URL is "https://nest.example?a"; it must be a URL such as https://social.example.',
  ],
  [
    'SITE_LANGUAGES',
    'en_GB',
    'SITE_LANGUAGES is "en_GB"; it must be language tags such as en, separated by spaces or commas.',
  ],
  [
    'CONTACT',
    'javascript:alert(1)',
    'CONTACT is "javascript:alert(1)"; it must be an e-mail address or a URL such as https://social.example/contact.',
  ],
  ['LIMIT_LIKES', '0', 'LIMIT_LIKES is "0"; it must be off or an integer from 1 to 1000000.'],
  ['STOP_DELAY', '1.5', 'STOP_DELAY is "1.5"; it must be an integer from 0 to 300.'],
  [
    'LOG_LEVEL',
    'loud\nand clear',
    'LOG_LEVEL is "loud\\nand clear"; it must be one of trace, debug, info, warn, error, fatal, silent.',
  ],
])('%s=%j is refused in one line', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(message))
})

test.each([
  ['DATABASE_URL', 'mysql://rookery:secret@db/rookery', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'rookery:secret@db', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'postgres://rookery:se/cret@db/rookery', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'postgres://rookery:se@cr/et@db/rookery', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'postgres://rookery:1#cret@db/rookery', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'postgres://rookery:1/cr==@db/rookery', 'postgres://user:password@host:5432/name'],
  ['DATABASE_URL', 'postgres://rookery:1?cret@db/rookery', 'postgres://user:password@host:5432/name'],
  ['REDIS_URL', 'http://:secret@redis', 'redis://user:password@host:6379/0'],
  ['REDIS_URL', 'redis://:secret@[redis', 'redis://user:password@host:6379/0'],
  ['REDIS_URL', 'redis://:se@cr/et@redis', 'redis://user:password@host:6379/0'],
])('%s=%j is refused without printing it', (name, url, example) => {
  expect(() => readConfig({ [name]: url })).toThrow(
    new ConfigError(`${name} is invalid; it must be a URL such as ${example}, percent-encoded (%2F for / and so on).`),
  )
})
