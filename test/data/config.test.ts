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
    avatar: 'gravatar',
    trustedProxies: 0,
    stopDelay: 0,
    logLevel: 'info',
  })
})

test('variables are read, and the settings cannot be changed', () => {
  const config = readConfig({
    HOST: '::',
    PORT: '0',
    DATABASE_URL: 'postgresql://rookery:pass%20word@db.example:5433/rookery?sslmode=require',
    DATABASE_POOL: '200',
    DATA_DIR: '/var/lib/rookery',
    DEMO: 'off',
    SIGN_UP: 'closed',
    AVATAR: 'identicon',
    TRUSTED_PROXIES: '2',
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
    avatar: 'identicon',
    trustedProxies: 2,
    stopDelay: 5,
    logLevel: 'silent',
  })
  expect(Object.isFrozen(config)).toBe(true)
})

test('an empty variable counts as unset', () => {
  const names = [
    ...['HOST', 'PORT', 'DATABASE_URL', 'DATABASE_POOL', 'DATA_DIR', 'DEMO', 'SIGN_UP'],
    ...['AVATAR', 'TRUSTED_PROXIES', 'STOP_DELAY', 'LOG_LEVEL'],
  ]
  expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}))
})

test.each([
  ['HOST', 'a b', 'HOST is "a b"; it has to be a host name or an IP address.'],
  ['PORT', 'http', 'PORT is "http"; it has to be a whole number from 0 to 65535.'],
  ['PORT', '65536', 'PORT is "65536"; it has to be a whole number from 0 to 65535.'],
  ['PORT', '-1', 'PORT is "-1"; it has to be a whole number from 0 to 65535.'],
  ['PORT', '80.5', 'PORT is "80.5"; it has to be a whole number from 0 to 65535.'],
  ['PORT', '1e3', 'PORT is "1e3"; it has to be a whole number from 0 to 65535.'],
  ['PORT', ' ', 'PORT is " "; it has to be a whole number from 0 to 65535.'],
  ['DATABASE_POOL', '0', 'DATABASE_POOL is "0"; it has to be a whole number from 1 to 200.'],
  ['DATABASE_POOL', '201', 'DATABASE_POOL is "201"; it has to be a whole number from 1 to 200.'],
  ['DATA_DIR', '  ', 'DATA_DIR is "  "; it has to be the path of a folder.'],
  ['DEMO', 'true', 'DEMO is "true"; it has to be on or off.'],
  ['SIGN_UP', 'yes', 'SIGN_UP is "yes"; it has to be open or closed.'],
  ['AVATAR', 'off', 'AVATAR is "off"; it has to be gravatar or identicon.'],
  ['TRUSTED_PROXIES', '-1', 'TRUSTED_PROXIES is "-1"; it has to be a whole number from 0 to 10.'],
  ['STOP_DELAY', '1.5', 'STOP_DELAY is "1.5"; it has to be a whole number from 0 to 300.'],
  ['TRUSTED_PROXIES', 'on', 'TRUSTED_PROXIES is "on"; it has to be a whole number from 0 to 10.'],
  [
    'LOG_LEVEL',
    'loud\nand clear',
    'LOG_LEVEL is "loud\\nand clear"; it has to be one of trace, debug, info, warn, error, fatal, silent.',
  ],
])('%s=%j is refused in one line', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(new ConfigError(message))
})

test.each(['mysql://rookery:secret@db/rookery', 'rookery:secret@db', 'postgres://rookery:se/cret@db/rookery'])(
  'DATABASE_URL=%j is refused without repeating it',
  (url) => {
    expect(() => readConfig({ DATABASE_URL: url })).toThrow(
      new ConfigError('DATABASE_URL is wrong; it has to be a URL such as postgres://user:password@host:5432/name.'),
    )
  },
)
