import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const ip = '/usr/sbin/ip'

/** Whether addresses can be cut off. */
export const canCutOff = process.getuid?.() === 0 && existsSync(ip)

/** Drops what is sent to a loopback address, as if a client there lost its network. Returns what ends this. */
export function cutOff(address: string): () => void {
  const route = (action: string) => execFileSync(ip, ['route', action, 'blackhole', `${address}/32`, 'table', 'local'])
  route('add')
  return () => route('del')
}
