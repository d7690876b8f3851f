import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedServer, openEmbedded } from '../../../src/data/embedded/embedded-server.ts'
import { prebuiltCluster } from '../../../src/data/embedded/prebuilt-cluster.ts'
import { migrationsFolder, readMigrations } from '../../../src/data/migration-files.ts'
import { createFolder } from '../../support/database.ts'
import { keepLog } from '../../support/statements.ts'

const endless = 'DO $$ BEGIN LOOP END LOOP; END $$'

describe('the thread of an embedded database', { timeout: 120_000 }, () => {
  const { folder, remove } = createFolder()
  const kept = keepLog()
  let server: EmbeddedServer
  beforeAll(async () => {
    const prebuilt = prebuiltCluster(await readMigrations(migrationsFolder))
    server = await openEmbedded({ folder, opener: 'server', prebuilt }, kept.log)
    await run('CREATE TABLE notes (text text)')
  })
  afterAll(async () => {
    await server.close()
    await remove()
  })

  async function run(sql: string, config: pg.ClientConfig = {}): Promise<unknown[]> {
    const client = new pg.Client({ ...server.connection, ...config })
    client.on('error', () => undefined)
    await client.connect()
    return (await client.query(sql).finally(() => client.end())).rows
  }

  const texts = () =>
    run('SELECT text FROM notes ORDER BY text').catch((error: unknown) => error instanceof Error && error.message)

  test.each([
    ['runs a statement past its time limit', () => run(endless, { statement_timeout: 200 })],
    // In this form the statement is not recognized and refused, and ends PGlite.
    ['ends with PostgreSQL', () => run('COPY notes FROM/**/STDIN')],
  ])('is replaced when it %s, without losing committed data', async (what, end) => {
    await run(`INSERT INTO notes VALUES ('${what}')`)
    await expect(end()).rejects.toThrow()
    await expect.poll(texts, { timeout: 60_000 }).toContainEqual({ text: what })
    expect(await run(`INSERT INTO notes VALUES ('afterwards') RETURNING text`)).toEqual([{ text: 'afterwards' }])
  })

  test('runs a statement without a time limit to its end', async () => {
    expect(await run('SELECT pg_sleep(1)::text AS slept')).toEqual([{ slept: '' }])
  })

  test('runs checkpoints that limit its write-ahead log', async () => {
    const segments = async () =>
      (await run(`SELECT count(*)::int AS count FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'`))[0]
    const lastCheckpoint = () => run('SELECT redo_lsn FROM pg_control_checkpoint()')
    for (let round = 0; round < 6; round += 1) {
      const before = await lastCheckpoint()
      await run(`INSERT INTO notes SELECT repeat('x', 1000) FROM generate_series(1, 36000)`)
      await run('TRUNCATE notes')
      await expect.poll(lastCheckpoint, { timeout: 60_000 }).not.toEqual(before)
    }
    // Each round writes more than two segments of 16 MiB, which triggers a checkpoint.
    expect(await segments()).toMatchObject({ count: expect.toSatisfy((count: number) => count <= 8) })
  })
})
