import { resolve } from 'node:path'
import type { DatabaseOptions } from '../engine/data/database.ts'
import type { Opener } from '../engine/data/embedded/embedded-server.ts'
import type { Config } from './config.ts'

/** The database that the configuration selects. */
export function databaseOptions(config: Config, opener: Opener): DatabaseOptions {
  const { databaseUrl: url, databasePool: poolSize, dataDir } = config
  if (url === undefined) return { kind: 'embedded', folder: resolve(dataDir), opener }
  const replicaUrls = opener === 'server' ? config.databaseReplicaUrls : []
  return { kind: 'server', url, poolSize, replicaUrls, opener }
}
