import { existsSync } from 'node:fs'
import { migrationsFolder, readMigrations } from '../migration-files.ts'
import { prebuiltFile, writePrebuiltCluster } from './prebuilt-cluster.ts'

// The last step of `npm run build`.
const migrations = await readMigrations(migrationsFolder)
if (!existsSync(prebuiltFile(migrations))) await writePrebuiltCluster(migrations)
