import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharing, startApp, type TestApp } from '../../support/app.ts'
import { type RawAnswer, sendRaw } from '../../support/http/raw-request.ts'

/** An address of this machine that others can reach. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

const token = `rookery_${'x'.repeat(43)}`

let app: TestApp
let local: string
beforeAll(async () => {
  app = await startApp({ demo: { token, targets: {} } })
  local = new URL(app.origin).host
})
afterAll(() => app.close())

function open(headers: Record<string, string>, path = '/graphql'): Promise<RawAnswer> {
  return sendRaw(app.origin, { method: 'GET', path, headers: { accept: 'text/html,*/*;q=0.8', ...headers } })
}

describe.each(['/', '/timeline', '/graphql', '/api/v1/docs'])('the page at %s', (path) => {
  test('has the demo token for a browser on this machine', async () => {
    for (const host of [local, 'localhost', 'localhost:4000', '[::1]:4000']) {
      const { status, body } = await open({ host }, path)
      expect(status).toBe(200)
      expect(body.includes(token)).toBe(true)
    }
  })

  test('does not have it for a host name that resolves to this machine', async () => {
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:80', '10.0.0.1:4000']) {
      const { status, body } = await open({ host }, path)
      expect(status).toBe(200)
      expect(body.includes(token)).toBe(false)
    }
  })

  test('does not have it for scripts of other sites', async () => {
    for (const origin of ['https://evil.example', 'null']) {
      const { body } = await open({ host: local, origin }, path)
      expect(body.includes(token)).toBe(false)
    }
  })

  test('does not have it for clients behind a proxy', async () => {
    const forwarded = ['for', 'host', 'proto'].map((name) => `x-forwarded-${name}`)
    for (const header of ['forwarded', 'via', 'x-real-ip', ...forwarded]) {
      const { body } = await open({ host: local, [header]: 'for=192.0.2.1' }, path)
      expect(body.includes(token)).toBe(false)
    }
  })

  test('does not have it for a proxy that only reveals itself by an old HTTP version', async () => {
    const socket = connect(Number(new URL(app.origin).port), '127.0.0.1')
    socket.end(`GET ${path} HTTP/1.0\r\nHost: ${local}\r\nAccept: text/html\r\n\r\n`)
    const page = await text(socket)
    expect(page).toContain('Rookery</title>')
    expect(page.includes(token)).toBe(false)
  })

  test.skipIf(!outside)('does not have it for another machine that claims to be this one', async () => {
    const other = await startApp({ demo: { token, targets: {} } }, sharing(app), '0.0.0.0')
    const { port } = new URL(other.origin)
    const ask = (host: string) =>
      sendRaw(`http://${host}:${port}`, { method: 'GET', path, headers: { accept: 'text/html', host: 'localhost' } })
    expect((await ask('127.0.0.1')).body.includes(token)).toBe(true)
    expect((await ask(outside ?? '')).body.includes(token)).toBe(false)
    await other.close()
  })
})
