import { writeFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { buildRookery } from './database/create.ts'
import { isAskedFor } from './options.ts'
import { attacks as allAttacks } from './stress/attacks/all.ts'
import { createEmbedded, createOnPostgres } from './stress/databases.ts'
import { readStressOptions } from './stress/options.ts'
import { rowOf, stressReport } from './stress/report.ts'
import { runAttacks } from './stress/run.ts'

const began = performance.now()

const load = () => loadavg()[0] ?? Number.NaN

/** Tells how far it is, on stderr. */
function tell(text: string): void {
  const seconds = Math.round((performance.now() - began) / 1_000)
  process.stderr.write(`${seconds} s, load ${load().toFixed(1)}: ${text}\n`)
}

// Leaving by `exit` ends the server too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
const options = readStressOptions(process.argv.slice(2), process.env)
if (!options.skipBuild) buildRookery()
const attacks = allAttacks.filter(({ name }) => isAskedFor(name, options.attacks))
const kinds = [
  { name: 'embedded', create: createEmbedded },
  { name: 'postgresql', create: () => createOnPostgres(options.databaseUrl) },
].filter(({ name }) => isAskedFor(name, options.databases))

const reports: string[] = []
for (const { create } of kinds) {
  const database = await create()
  try {
    const before = load()
    tell(`seeding, ${database.kind}`)
    const results = await runAttacks(database, attacks, options.seconds, (result) => tell(rowOf(result).join(' | ')))
    reports.push(stressReport(database.kind, results, { seconds: options.seconds, loads: [before, load()] }))
  } finally {
    await database.drop()
  }
  if (options.out) await writeFile(options.out, reports.join('\n'))
}
process.stdout.write(`${reports.join('\n')}\n`)
