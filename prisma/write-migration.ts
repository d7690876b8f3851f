import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import pg from 'pg'
import { openEmbedded } from '../src/data/embedded/embedded-server.ts'
import { migrationsFolder } from '../src/data/migration-files.ts'
import { createLog } from '../src/log.ts'
import { schemaFile, writeMigration } from './new-migration.ts'

// The command behind `npm run migration -- <name>`.
const name = process.argv[2]
if (name === undefined || !/^[a-z0-9_]{1,60}$/.test(name)) {
  console.error('Say what the migration does: npm run migration -- <name>, of lower-case letters, digits and _.')
  process.exitCode = 1
} else {
  const folder = await mkdtemp(join(tmpdir(), 'rookery-new-'))
  const { connection, close } = await openEmbedded(
    { folder, opener: 'command', prebuilt: undefined },
    createLog('warn'),
  )
  const client = new pg.Client(connection)
  await client.connect()
  const file = await writeMigration(client, name, migrationsFolder, schemaFile).finally(async () => {
    await client.end()
    await close()
    await rm(folder, { recursive: true })
  })
  console.log(relative('.', file))
}
