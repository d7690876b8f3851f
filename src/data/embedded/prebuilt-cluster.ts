import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createLog } from '../../log.ts'
import { migrate } from '../migrate.ts'
import type { Migration } from '../migration-files.ts'
import { clusterIn } from './folder.ts'

/** The file of the cluster that the build made for these migrations: another set of them has another file. */
export function prebuiltFile(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const { name, script } of migrations) hash.update(`${name}\n${script}\n`)
  return fileURLToPath(new URL(`../../../dist/cluster-${hash.digest('hex').slice(0, 16)}.tar`, import.meta.url))
}

/** That file, where there has been a build. */
export function prebuiltCluster(migrations: readonly Migration[]): string | undefined {
  const file = prebuiltFile(migrations)
  return existsSync(file) ? file : undefined
}

/** Makes the cluster, which saves the first start of an embedded database most of its time. */
export async function writePrebuiltCluster(migrations: readonly Migration[]): Promise<void> {
  const { create } = await import('tar')
  const { withNewDatabase } = await import('./new-database.ts')
  const file = prebuiltFile(migrations)
  const log = createLog('warn')
  const pack = async (folder: string) => {
    await create({ file: `${file}.new`, cwd: clusterIn(folder), gzip: true, portable: true, strict: true }, ['.'])
    await rename(`${file}.new`, file)
  }
  await withNewDatabase(log, (backend) => migrate(backend, migrations, log), pack)
}
