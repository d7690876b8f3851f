import { expect, test } from 'vitest'
import { runRookery } from '../support/rookery-process.ts'
import { programs, startCluster } from './cluster.ts'
import { forCommands, settle } from './network.ts'

test.skipIf(programs === undefined)('a standby is refused and reported by the doctor', async () => {
  const primary = await startCluster()
  await primary.admin('CREATE DATABASE rookery')
  await settle(forCommands(primary.url('rookery')))
  const standby = await startCluster(undefined, primary)
  try {
    const env = { DATABASE_URL: standby.url('rookery'), PORT: '0' }
    expect(await runRookery(['serve'], env)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/it is a standby, which takes no writes. Point DATABASE_URL at the primary.\n$/),
    })
    const { code, stdout } = await runRookery(['doctor'], env)
    expect(code).toBe(1)
    expect(stdout).toMatch(/The database is read-only\.\s+Set DATABASE_URL to the primary server/)
  } finally {
    standby.remove()
    primary.remove()
  }
})
