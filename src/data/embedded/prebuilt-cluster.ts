import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../package-folder.ts'
import type { Migration } from '../migration-files.ts'

/** The file of the prebuilt cluster for these migrations. Other migrations have another file. */
export function prebuiltFile(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const { name, script } of migrations) hash.update(`${name}\n${script}\n`)
  return join(packageFolder, `dist/cluster-${hash.digest('hex').slice(0, 16)}.tar`)
}

/** That file, if there was a build. It saves most of the time of the first start of an embedded database. */
export function prebuiltCluster(migrations: readonly Migration[]): string | undefined {
  const file = prebuiltFile(migrations)
  return existsSync(file) ? file : undefined
}
