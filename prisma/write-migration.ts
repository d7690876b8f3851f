import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import pg from 'pg'
import { messageOf } from '../src/engine/data/database-error.ts'
import { openEmbedded } from '../src/engine/data/embedded/embedded-server.ts'
import { createLog } from '../src/engine/log.ts'
import { prismaFolder } from './baseline.ts'
import { writeMigration } from './new-migration.ts'

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
  try {
    const file = await writeMigration(client, name, prismaFolder)
    console.log(file === undefined ? 'The migrations already create what prisma/ describes.' : relative('.', file))
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  } finally {
    await client.end()
    await close()
    await rm(folder, { recursive: true })
  }
}
