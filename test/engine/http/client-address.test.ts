import { createServer } from 'node:http'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientAddress } from '../../../src/engine/http/viewer.ts'
import { keepLog } from '../../support/database/statements.ts'
import { portOf } from '../../support/http/port.ts'
import { sendRaw } from '../../support/http/raw-request.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some((it) => isIPv6(it.address)))

const { log, lines } = keepLog()
const server = createServer((message, response) => {
  const proxies = Number(new URL(message.url ?? '', 'http://host').searchParams.get('proxies'))
  response.end(clientAddress(message, proxies, log))
})
let port: number
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, hasIPv6 ? '::' : '0.0.0.0', resolve))
  port = portOf(server)
})
afterAll(() => {
  server.close()
})

async function counted(proxies: number, forwarded: string | undefined, host = '127.0.0.1', from?: string) {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const request = { method: 'GET', path: `/?proxies=${proxies}`, headers, ...(from !== undefined && { from }) }
  return (await sendRaw(`http://${host}:${port}`, request)).body
}

describe('the address of a client', () => {
  test('is that of its connection, as IPv4 even if the server listens on IPv6', async () => {
    expect(await counted(0, undefined)).toBe('127.0.0.1')
    expect(await counted(0, undefined, '127.0.0.1', '127.0.0.9')).toBe('127.0.0.9')
  })

  test.skipIf(!hasIPv6)('is its network for IPv6', async () => {
    expect(await counted(0, undefined, '[::1]')).toBe('0:0:0:0::/64')
  })

  test.each(['203.0.113.7', '203.0.113.7, 198.51.100.1', '::1', 'nonsense'])(
    'ignores X-Forwarded-For without trusted proxies: %s',
    async (forwarded) => {
      expect(await counted(0, forwarded)).toBe('127.0.0.1')
    },
  )

  test.each([
    [1, '203.0.113.7', '203.0.113.7'],
    [1, 'invented, 192.0.2.1,203.0.113.7 ', '203.0.113.7'],
    [2, '192.0.2.1, 203.0.113.7, 198.51.100.1', '203.0.113.7'],
    [1, '::ffff:203.0.113.7', '203.0.113.7'],
    [1, '2001:DB8:0:1:aaaa::1', '2001:db8:0:1::/64'],
    [1, '2001:db8:0:1:bbbb:cccc:dddd:eeee', '2001:db8:0:1::/64'],
    [1, '2001:db8::1', '2001:db8:0:0::/64'],
    [1, '2001:0db8:0000:0002::', '2001:db8:0:2::/64'],
    [1, '1::2:3:4:5:6:7', '1:0:2:3::/64'],
    [1, '1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    [1, '64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    [1, 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    [1, '203.0.113.7:51234', '203.0.113.7'],
    [1, '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
    [1, '[2001:db8::1]', '2001:db8:0:0::/64'],
    [1, '"[2001:DB8::1%eth0]:4711"', '2001:db8:0:0::/64'],
    [2, '192.0.2.1:1, 203.0.113.7:2, [2001:db8::1]:3', '203.0.113.7'],
    [1, '[::ffff:203.0.113.7]:80', '203.0.113.7'],
    [1, '::FFFF:cb00:7107', '203.0.113.7'],
    [1, '0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ])('behind %i trusted proxies is the one that the outermost added: %s', async (proxies, forwarded, address) => {
    expect(await counted(proxies, forwarded)).toBe(address)
  })

  test.each([
    [1, undefined],
    [1, ''],
    [1, '203.0.113.7, unknown'],
    [1, '203.0.113.7, 198.51.100.1:http'],
    [1, '203.0.113.7, [198.51.100.1'],
    [1, '203.0.113.7, :80'],
    [2, '203.0.113.7'],
  ])('behind %i trusted proxies is that of the connection if they added none: %s', async (proxies, forwarded) => {
    expect(await counted(proxies, forwarded)).toBe('127.0.0.1')
  })

  test('is that of the connection if theirs cannot be read, which one warning says', async () => {
    for (const forwarded of ['unknown', '_hidden', '203.0.113.7, 1.2.3']) await counted(1, forwarded)
    expect(lines.filter(({ level }) => level === 40)).toHaveLength(1)
  })
})
