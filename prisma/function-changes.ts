import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { messageOf } from '../src/engine/data/database-error.ts'
import { readSql } from './sql-files.ts'

type SqlFunction = {
  readonly name: string
  /** Its name and the types of its arguments, as in `DROP FUNCTION`. */
  readonly reference: string
  /** What `CREATE OR REPLACE` cannot change. */
  readonly signature: string
  readonly definition: string
}

async function functionsOf(client: pg.ClientBase): Promise<SqlFunction[]> {
  const { rows } = await client.query<SqlFunction>(`
    SELECT proname AS name, oid::regprocedure::text AS reference,
      proname || concat_ws(' ', pg_get_function_arguments(oid), pg_get_function_result(oid)) AS signature,
      pg_get_functiondef(oid) AS definition
    FROM pg_proc WHERE pronamespace = current_schema()::regnamespace ORDER BY proname COLLATE "C"`)
  return rows
}

/**
 * The statements that turn the functions of a migrated database into those of a folder, which has one file for each. To compare them, replaces
 * those of the database.
 */
export async function functionChanges(client: pg.ClientBase, folder: string): Promise<string[]> {
  const before = await functionsOf(client)
  for (const { reference } of before) await client.query(`DROP FUNCTION ${reference} CASCADE`)
  // Bodies may use what migrations create by hand, such as views.
  await client.query('SET check_function_bodies = off')
  const scripts = new Map<string, string>()
  for (const file of (await readdir(folder)).sort()) {
    const script = await readSql(join(folder, file))
    scripts.set(file.replace(/\.sql$/, ''), script.trim())
    const run = () => client.query(script)
    const refuse = (cause: unknown) => {
      throw new Error(`prisma/functions/${file}: ${messageOf(cause)}`, { cause })
    }
    // Twice, because it has to replace the function.
    await run().then(run).catch(refuse)
  }
  await client.query('RESET check_function_bodies')
  const after = await functionsOf(client)
  if (after.map(({ name }) => name).join() !== [...scripts.keys()].join())
    throw new Error('Each file in prisma/functions must create the function of its name, and no other.')

  const dropped = before.filter(({ signature }) => after.every((now) => now.signature !== signature))
  const written = after.filter(({ definition }) => before.every((then) => then.definition !== definition))
  const isWritten = (old: SqlFunction) => written.some(({ name }) => name === old.name)
  return [
    ...dropped.filter((old) => !isWritten(old)).map(({ reference }) => `DROP FUNCTION ${reference};`),
    ...written.map(({ name }) => {
      const script = scripts.get(name) ?? ''
      const old = dropped.find((one) => one.name === name)
      return old ? recreated(old, script) : script
    }),
  ]
}

const recreated = ({ name, reference }: SqlFunction, script: string) =>
  `ALTER FUNCTION ${reference} RENAME TO old_${name};

${script}

-- Those who could execute the old function can execute the new one.
REVOKE ALL ON FUNCTION ${name} FROM PUBLIC;
DO $$
DECLARE
  role text;
BEGIN
  FOR role IN
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
    FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE oid = 'old_${name}'::regproc
  LOOP
    EXECUTE 'GRANT EXECUTE ON FUNCTION ${name} TO ' || role;
  END LOOP;
END $$;
DROP FUNCTION old_${name};`
