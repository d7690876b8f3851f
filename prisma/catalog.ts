import type pg from 'pg'

/** What a database has of `functions/` and `rules.sql`. */
export type CatalogObject = {
  readonly kind: 'column' | 'function' | 'view' | 'index' | 'check' | 'trigger'
  readonly name: string
  readonly creation: string
  /** Null for columns, which belong to the Prisma schema. */
  readonly removal: string | null
  /** Its creation and the columns and functions that it uses. */
  readonly definition: string
  /** The part of it that `CREATE OR REPLACE` cannot change. */
  readonly identity: string
}

/** The objects in the current schema, in an order in which they can be created. */
export async function readCatalog(client: pg.ClientBase): Promise<CatalogObject[]> {
  return (await client.query<CatalogObject>(statement)).rows
}

const statement = `
  WITH tables AS (
    SELECT oid, format('%I', relname) AS name, relkind, reloptions, format('ALTER TABLE %I ', relname) AS change
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace
  ), columns AS (
    SELECT a.attrelid AS oid, a.attnum AS number, t.name || '.' || a.attname AS name, a.atttypid::regtype AS type,
      nullif(a.attcollation, y.typcollation)::regcollation AS own_collation,
      a.attnotnull AND y.typcategory = 'A' AS is_required_array,
      t.change || format('ALTER COLUMN %I ', a.attname) AS change, t.relkind
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid JOIN pg_type y ON y.oid = a.atttypid
  ), functions AS (
    SELECT oid, proname::text AS name, pg_get_functiondef(oid) AS definition, provolatile = 'i' AS is_immutable,
      proname || concat_ws(' ', pg_get_function_arguments(oid), pg_get_function_result(oid)) AS identity
    FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prokind = 'f'
  ), uses AS (
    -- Indexes store what immutable functions return, and follow their bodies.
    SELECT d.classid, d.objid, string_agg(DISTINCT concat_ws(' ', c.name, c.type, c.own_collation,
      CASE WHEN f.is_immutable THEN f.definition ELSE f.identity END), '; ') AS used
    FROM pg_depend d
      LEFT JOIN columns c ON d.refclassid = 'pg_class'::regclass AND c.oid = d.refobjid AND c.number = d.refobjsubid
      LEFT JOIN functions f ON d.refclassid = 'pg_proc'::regclass AND f.oid = d.refobjid
    GROUP BY d.classid, d.objid
  ), views AS (
    SELECT v.oid, v.name, u.used, concat('CREATE VIEW ', v.name, ' WITH (' || array_to_string(v.reloptions, ', ') || ')', E' AS\\n',
      pg_get_viewdef(v.oid, true)) AS creation
    FROM tables v JOIN pg_rewrite r ON r.ev_class = v.oid JOIN uses u ON u.classid = 'pg_rewrite'::regclass AND u.objid = r.oid
    WHERE v.relkind = 'v'
  ), objects (step, oid, kind, name, used, creation, removal) AS (
    SELECT 1, oid, 'column', name || ' collation', '', format('%sTYPE %s COLLATE %s;', change, type, own_collation), NULL
    FROM columns WHERE own_collation IS NOT NULL AND relkind = 'r'
    UNION ALL
    SELECT 1, oid, 'column', name || ' not null', '', change || 'SET NOT NULL;', NULL
    FROM columns WHERE is_required_array AND relkind = 'r'
    UNION ALL
    -- A view may use others, so all are replaced together.
    SELECT 3, oid, 'view', name, (SELECT string_agg(creation || used, '' ORDER BY name) FROM views), creation, format('DROP VIEW %s;', name)
    FROM views
    UNION ALL
    SELECT 4, x.oid, 'index', x.name, u.used, pg_get_indexdef(x.oid, 0, true) || ';', format('DROP INDEX %s;', x.name)
    FROM tables x JOIN pg_index i ON i.indexrelid = x.oid JOIN uses u ON u.classid = 'pg_class'::regclass AND u.objid = x.oid
    WHERE i.indexprs IS NOT NULL
    UNION ALL
    SELECT 5, c.oid, 'check', t.name || '.' || c.conname, u.used,
      t.change || format('ADD CONSTRAINT %I %s;', c.conname, pg_get_constraintdef(c.oid, true)),
      t.change || format('DROP CONSTRAINT %I;', c.conname)
    FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid JOIN uses u ON u.classid = 'pg_constraint'::regclass AND u.objid = c.oid
    WHERE c.contype = 'c'
    UNION ALL
    SELECT 6, g.oid, 'trigger', t.name || '.' || g.tgname, u.used, pg_get_triggerdef(g.oid, true) || ';',
      format('DROP TRIGGER %I ON %s;', g.tgname, t.name)
    FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid JOIN uses u ON u.classid = 'pg_trigger'::regclass AND u.objid = g.oid
    WHERE NOT g.tgisinternal
  )
  SELECT kind, name, creation, removal, creation || used AS definition, creation || used AS identity, step, oid FROM objects
  UNION ALL
  SELECT 'function', name, definition, format('DROP FUNCTION %s;', oid::regprocedure), definition, identity, 2, NULL FROM functions
  ORDER BY step, oid, name`
