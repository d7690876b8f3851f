import cluster from 'node:cluster'
import type { Config } from './config.ts'

/** Whether this process serves alone, starts workers, or is one of them. */
export function roleOf({ workers }: Config): 'alone' | 'primary' | 'worker' {
  if (workers === 1) return 'alone'
  return cluster.isPrimary ? 'primary' : 'worker'
}
