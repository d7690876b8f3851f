import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createLog } from '../../log.ts'
import { packageFolder } from '../../package-folder.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migration-files.ts'
import { clusterIn } from './folder.ts'

/** The file of the prebuilt cluster for these migrations. Other migrations have another file. */
export function prebuiltFile(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const { name, script } of migrations) hash.update(`${name}\n${script}\n`)
  return join(packageFolder, `dist/cluster-${hash.digest('hex').slice(0, 16)}.tar`)
}

/** That file, if there was a build. */
export function prebuiltCluster(migrations: readonly Migration[]): string | undefined {
  const file = prebuiltFile(migrations)
  return existsSync(file) ? file : undefined
}

/** Creates the cluster, which saves most of the time of the first start of an embedded database. */
export async function writePrebuiltCluster(migrations: readonly Migration[]): Promise<void> {
  const { create } = await import('tar')
  const { withNewDatabase } = await import('./new-database.ts')
  const file = prebuiltFile(migrations)
  const log = createLog('warn')
  const pack = async (folder: string) => {
    await create({ file: `${file}.new`, cwd: clusterIn(folder), gzip: true, portable: true, strict: true }, ['.'])
    await rename(`${file}.new`, file)
  }
  await withNewDatabase(log, (client) => migrate(client, migrations, log), pack)
}
