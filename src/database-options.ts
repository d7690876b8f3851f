import { resolve } from 'node:path'
import type { Config } from './config.ts'
import type { DatabaseOptions } from './data/database.ts'
import type { Opener } from './data/embedded/embedded-server.ts'

/** The database that the configuration selects. */
export function databaseOptions(config: Config, opener: Opener): DatabaseOptions {
  const { databaseUrl: url, databasePool: poolSize, dataDir } = config
  if (url === undefined) return { kind: 'embedded', folder: resolve(dataDir), opener }
  const replicaUrls = opener === 'server' ? config.databaseReplicaUrls : []
  return { kind: 'server', url, poolSize, replicaUrls, opener }
}
