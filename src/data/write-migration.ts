import { relative } from 'node:path'
import { migrationsFolder } from './migration-files.ts'
import { schemaFile, writeMigration } from './new-migration.ts'

// The command behind `npm run migration -- <name>`.
const name = process.argv[2]
if (name === undefined || !/^[a-z0-9_]{1,60}$/.test(name)) {
  console.error('Say what the migration does: npm run migration -- <name>, of lower-case letters, digits and _.')
  process.exitCode = 1
} else {
  const file = await writeMigration(name, migrationsFolder, schemaFile)
  console.log(file === undefined ? 'The migrations give prisma/schema.prisma already.' : relative('.', file))
}
