import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { vi } from 'vitest'
import { portOf } from '../http/port.ts'

const pem = readFileSync(new URL('../database/localhost.pem', import.meta.url))

/** Serves the metadata of clients by https on this machine, and lets this process trust the certificate, which has signed itself. */
export async function startMetadataServer(answer: RequestListener): Promise<{ origin: string; close(): void }> {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const server = createServer({ key: pem, cert: pem }, answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    origin: `https://127.0.0.1:${portOf(server)}`,
    close: () => {
      vi.unstubAllEnvs()
      server.closeAllConnections()
      server.close()
    },
  }
}
