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
  { name: 'postgresql', create: () => createOnPostgres(options.databaseUrl) },
  { name: 'embedded', create: createEmbedded },
].filter(({ name }) => isAskedFor(name, options.databases))

const reports: string[] = []
for (const { create } of kinds) {
  const database = await create()
  try {
    const results = await measureFairness(database, asked, options.seconds)
    reports.push(fairnessReport(database.kind, results, options.seconds))
  } finally {
    await database.drop()
  }
}
const text = reports.join('\n')
if (options.out) await writeFile(options.out, text)
process.stdout.write(`${text}\n`)
