import type pg from 'pg'
import { baselineOf } from '../../../prisma/baseline.ts'
import { migrate } from '../../../src/engine/data/migrate.ts'
import { readMigrations } from '../../../src/engine/data/migration-files.ts'
import { createLog } from '../../../src/engine/log.ts'

/** Everything in the schema: what it is called, and its definition. */
async function definitionsIn(client: pg.ClientBase): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    WITH relations AS (SELECT oid AS relation, relkind, reloptions FROM pg_class WHERE relnamespace = 'public'::regnamespace)
    SELECT concat(relation::regclass, '.', attname) AS name, concat_ws(' ', format_type(atttypid, atttypmod), attcollation::regcollation,
      attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid)) AS definition
    FROM relations JOIN pg_attribute ON attrelid = relation LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
    WHERE relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT relation::regclass::text, concat_ws(' ', relkind, reloptions,
      CASE relkind WHEN 'v' THEN pg_get_viewdef(relation) WHEN 'i' THEN pg_get_indexdef(relation) END) FROM relations
    UNION ALL SELECT concat(conrelid::regclass, '.', conname), pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT concat(tgrelid::regclass, '.', tgname), pg_get_triggerdef(oid, true) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT oid::regprocedure::text, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT enumtypid::regtype::text, string_agg(enumlabel, ' ' ORDER BY enumsortorder) FROM pg_enum GROUP BY enumtypid`)
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]))
}

/**
 * What an empty database has after the migrations in a folder like `prisma/`, and what it has when it is created from the rest of that
 * folder.
 */
export async function migratedAndNew(client: pg.ClientBase, folder: string) {
  await client.query(await baselineOf(folder))
  const created = await definitionsIn(client)
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await migrate(client, await readMigrations(`${folder}/migrations`), createLog('silent'))
  await client.query('DROP TABLE _prisma_migrations')
  return { migrated: await definitionsIn(client), created }
}
