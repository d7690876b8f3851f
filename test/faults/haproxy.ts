import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { portOf } from '../support/port.ts'

/** The path of HAProxy as Debian installs it; undefined if there is none. */
export const haproxyPath = ['/usr/sbin/haproxy'].find((path) => existsSync(path))

/** A load balancer in front of local ports. */
export type LoadBalancer = { readonly origin: string; stop(): Promise<void> }

/** Finds this many free ports. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map(portOf)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** Starts HAProxy in front of these ports with the configuration of `docs/operations.md`. */
export async function startHaproxy(program: string, ports: readonly number[]): Promise<LoadBalancer> {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-haproxy-'))
  const [port = 0] = await freePorts(1)
  const servers = ports.map((to, nth) => `  server rookery${nth} 127.0.0.1:${to}`)
  const configuration = `
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  option redispatch
  retries 2
frontend public
  bind 127.0.0.1:${port}
  default_backend rookery
backend rookery
  option httpchk GET /health/ready
  option forwardfor
  default-server check inter 500ms fall 1 rise 1
${servers.join('\n')}
`
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configuration)
  const child: ChildProcess = spawn(program, ['-f', file, '-db'], { stdio: 'ignore' })
  const origin = `http://127.0.0.1:${port}`
  const isUp = () =>
    fetch(`${origin}/health/ready`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await expect.poll(isUp).toBe(true)
  return {
    origin,
    stop: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null) await once(child, 'close')
      rmSync(folder, { recursive: true })
    },
  }
}
