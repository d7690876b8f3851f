import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create } from 'tar'
import { createLog } from '../../log.ts'
import { openDatabase } from '../database.ts'
import { migrationsFolder, readMigrations } from '../migration-files.ts'
import { clusterIn, prebuiltFile } from './folder.ts'

// The last step of `npm run build`.
const file = prebuiltFile(await readMigrations(migrationsFolder))
if (!existsSync(file)) {
  const folder = await mkdtemp(join(tmpdir(), 'rookery-new-'))
  const database = await openDatabase({ kind: 'embedded', folder, opener: 'command' }, createLog('warn'))
  await database.close()
  await create({ file: `${file}.new`, cwd: clusterIn(folder), gzip: true, portable: true, strict: true }, ['.'])
  await rename(`${file}.new`, file)
  await rm(folder, { recursive: true })
}
