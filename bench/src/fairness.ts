import { writeFile } from 'node:fs/promises'
import { buildRookery } from './database/create.ts'
import { floods } from './fairness/floods.ts'
import { measureFairness } from './fairness/measure.ts'
import { fairnessReport } from './fairness/report.ts'
import { isAskedFor } from './options.ts'
import { createEmbedded, createOnPostgres } from './stress/databases.ts'
import { readStressOptions } from './stress/options.ts'

// Leaving by `exit` ends the server too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readStressOptions(process.argv.slice(2), process.env)
if (!options.skipBuild) buildRookery()
const asked = floods.filter(({ name }) => isAskedFor(name, options.attacks))
const kinds = [
  { name: 'postgresql', create: (name: string) => createOnPostgres(options.databaseUrl, name) },
  { name: 'embedded', create: createEmbedded },
].filter(({ name }) => isAskedFor(name, options.databases))

const reports: string[] = []
for (const { create } of kinds) {
  const [shared, other] = [await create('rookery_shared'), await create('rookery_other')]
  try {
    const results = await measureFairness({ shared, other }, asked, options.seconds)
    reports.push(fairnessReport(shared.kind, results, options.seconds))
  } finally {
    await shared.drop()
    await other.drop()
  }
}
const text = reports.join('\n')
if (options.out) await writeFile(options.out, text)
process.stdout.write(`${text}\n`)
