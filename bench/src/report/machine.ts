import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, cpus, type as systemType, totalmem } from 'node:os'
import type pg from 'pg'

const peers = ['postgraphile', 'mercurius', 'fastify', '@apollo/server', '@prisma/client', 'graphql', 'pg'] as const
const require = createRequire(import.meta.url)

/** The version of an installed package, of which the entry may be anywhere inside. */
function versionOf(name: string): string {
  const paths = require.resolve.paths(name) ?? []
  for (const path of paths) {
    try {
      const found: unknown = JSON.parse(readFileSync(`${path}/${name}/package.json`, 'utf8'))
      if (found !== null && typeof found === 'object' && 'version' in found) return `${name} ${String(found.version)}`
    } catch {
      // It is not installed there, but may be further up.
    }
  }
  return name
}

/** What was measured on, as lines of Markdown. */
export async function machine(db: pg.Client): Promise<string[]> {
  const { rows } = await db.query<{ version: string; memory: string }>(
    `select split_part(version(), ' ', 2) as version, current_setting('shared_buffers') as memory`,
  )
  const [postgres] = rows
  return [
    `- ${availableParallelism()} processors (${cpus()[0]?.model.trim() ?? 'unknown'}), ` +
      `${Math.round(totalmem() / 2 ** 30)} GiB of memory, ${systemType()}; servers, PostgreSQL and load ` +
      'share them.',
    `- PostgreSQL ${postgres?.version}, \`shared_buffers\` ${postgres?.memory}. Node.js ${process.versions.node}.`,
    `- ${peers.map(versionOf).join(', ')}.`,
  ]
}
