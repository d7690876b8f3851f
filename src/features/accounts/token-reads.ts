import { type ValueRead, viewer } from '../../engine/compiler/field-reads.ts'
import { comma, type Sql, sql } from '../../engine/compiler/sql.ts'
import { type Scope, scopeEnumName } from '../../engine/scopes.ts'
import { commonScopes, everyScope, scopes } from '../base/scopes.ts'

/** Whether a token is the viewer's own. */
export const isOwnToken = (row: Sql): Sql => sql`${row}.user_id = ${viewer.id}`

/** Whether a token is the one in use. */
export const isCurrentToken: ValueRead = { value: (row) => sql`${row}.id = ${viewer.tokenId}` }

const named = (scope: Scope) =>
  sql`(${sql.literal(scope)}, ${sql.literal(scopeEnumName(scope))}, ${sql.literal(String(commonScopes.includes(scope)))}::boolean)`

/** The scopes of a token that exist, by their names in the schema. */
export const scopesOfToken: ValueRead = {
  value: (row) => sql`(select coalesce(json_agg(known.name order by own.place), '[]')
    from unnest(${row}.scopes) with ordinality own (scope, place)
    join (values ${sql.join(scopes.map(named), comma)}) known (scope, name, is_common) on known.scope = own.scope
      or own.scope = ${sql.literal(everyScope)} and (known.is_common
        or exists (select from users u where u.id = ${row}.user_id and u.moderator_since is not null)))`,
}
