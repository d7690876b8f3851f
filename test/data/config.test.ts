import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/config.ts'

test('an empty environment gives the defaults', () => {
  expect(readConfig({})).toEqual({
    host: '127.0.0.1',
    port: 4000,
    databaseUrl: undefined,
    databasePool: 10,
    dataDir: '.data',
    demo: true,
    signUp: true,
    onlyTrustedDocuments: false,
    graphiql: true,
    introspection: true,
    avatar: 'gravatar',
    trustedProxies: 0,
    rateLimit: { points: 1_000_000, seconds: 10 },
    redisUrl: undefined,
    requestsPerAddress: 500,
    headerSize: 16_384,
    timeouts: { headers: 10_000, request: 30_000, response: 45_000, delivery: 30_000, idle: 75_000 },
    stopDelay: 0,
    logLevel: 'info',
  })
})

test('variables are read into a frozen configuration', () => {
  const config = readConfig({
    HOST: '::',
    PORT: '0',
    DATABASE_URL: 'postgresql://rookery:pass%20word@db.example:5433/rookery?sslmode=require',
    DATABASE_POOL: '200',
    DATA_DIR: '/var/lib/rookery',
    DEMO: 'off',
    SIGN_UP: 'closed',
    DOCUMENTS: 'trusted',
    GRAPHIQL: 'off',
    INTROSPECTION: 'off',
    AVATAR: 'identicon',
    TRUST_PROXY: '2',
    RATE_LIMIT: '5000',
    RATE_LIMIT_WINDOW: '60',
    REDIS_URL: 'rediss://rookery:secret@redis.example:6380/1',
    REQUESTS_PER_ADDRESS: '9',
    HEADER_SIZE: '8192',
    TIMEOUT_HEADERS: '1',
    TIMEOUT_REQUEST: '2',
    TIMEOUT_RESPONSE: '3',
    TIMEOUT_READ: '4',
    TIMEOUT_IDLE: '5',
    STOP_DELAY: '5',
    LOG_LEVEL: 'silent',
    PATH: '/bin',
  })
  expect(config).toEqual({
    host: '::',
    port: 0,
    databaseUrl: 'postgresql://rookery:pass%20word@db.example:5433/rookery?sslmode=require',
    databasePool: 200,
    dataDir: '/var/lib/rookery',
    demo: false,
    signUp: false,
    onlyTrustedDocuments: true,
    graphiql: false,
    introspection: false,
    avatar: 'identicon',
    trustedProxies: 2,
    rateLimit: { points: 5_000, seconds: 60 },
    redisUrl: 'rediss://rookery:secret@redis.example:6380/1',
    requestsPerAddress: 9,
    headerSize: 8_192,
    timeouts: { headers: 1_000, request: 2_000, response: 3_000, delivery: 4_000, idle: 5_000 },
    stopDelay: 5,
    logLevel: 'silent',
  })
  expect(Object.isFrozen(config)).toBe(true)
})

test('rate limits can be switched off', () => {
  expect(readConfig({ RATE_LIMIT: 'off' }).rateLimit).toBeUndefined()
})

test('an empty variable counts as unset', () => {
  const names = [
    ...['HOST', 'PORT', 'DATABASE_URL', 'DATABASE_POOL', 'DATA_DIR', 'DEMO', 'SIGN_UP'],
    ...['AVATAR', 'TRUST_PROXY', 'STOP_DELAY', 'LOG_LEVEL', 'RATE_LIMIT', 'REDIS_URL'],
  ]
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}))
})

test.each([
  ['HOST', 'a b', 'HOST is "a b"; it must be a host name or an IP address.'],
  ['PORT', 'http', 'PORT is "http"; it must be an integer from 0 to 65535.'],
  ['PORT', '65536', 'PORT is "65536"; it must be an integer from 0 to 65535.'],
  ['DATABASE_POOL', '201', 'DATABASE_POOL is "201"; it must be an integer from 1 to 200.'],
  ['DATA_DIR', '  ', 'DATA_DIR is "  "; it must be the path of a directory.'],
  ['DEMO', 'true', 'DEMO is "true"; it must be on or off.'],
  ['AVATAR', 'off', 'AVATAR is "off"; it must be gravatar or identicon.'],
  ['RATE_LIMIT', '0', 'RATE_LIMIT is "0"; it must be off or an integer from 1000 to 999999999.'],
  ['TRUST_PROXY', '-1', 'TRUST_PROXY is "-1"; it must be an integer from 0 to 10.'],
  ['STOP_DELAY', '1.5', 'STOP_DELAY is "1.5"; it must be an integer from 0 to 300.'],
  [
    'LOG_LEVEL',
    'loud\nand clear',
    'LOG_LEVEL is "loud\\nand clear"; it must be one of trace, debug, info, warn, error, fatal, silent.',
  ],
])('%s=%j is refused in one line', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(message))
})

test.each(['mysql://rookery:secret@db/rookery', 'rookery:secret@db', 'postgres://rookery:se/cret@db/rookery'])(
  'DATABASE_URL=%j is refused without printing it',
  (url) => {
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(
      new ConfigError('DATABASE_URL is invalid; it must be a URL such as postgres://user:password@host:5432/name.'),
    )
  },
)

test.each(['http://:secret@redis', 'redis', 'redis://:secret@[redis'])(
  'REDIS_URL=%j is refused without printing it',
  (url) => {
    expect(() => readConfig({ REDIS_URL: url })).toThrow(
      new ConfigError('REDIS_URL is invalid; it must be a URL such as redis://user:password@host:6379/0.'),
    )
  },
)
