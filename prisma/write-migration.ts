import { relative } from 'node:path'
import { withNewDatabase } from '../src/data/embedded/new-database.ts'
import { migrationsFolder } from '../src/data/migration-files.ts'
import { createLog } from '../src/log.ts'
import { schemaFile, writeMigration } from './new-migration.ts'

// The command behind `npm run migration -- <name>`.
const name = process.argv[2]
if (name === undefined || !/^[a-z0-9_]{1,60}$/.test(name)) {
  console.error('Say what the migration does: npm run migration -- <name>, of lower-case letters, digits and _.')
  process.exitCode = 1
} else {
  const file = await withNewDatabase(createLog('warn'), (client) =>
    writeMigration(client, name, migrationsFolder, schemaFile),
  )
  console.log(file === undefined ? 'The migrations give prisma/schema.prisma already.' : relative('.', file))
}
