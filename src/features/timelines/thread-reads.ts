import type { ListRead, PageRead, Rules } from '../../engine/compiler/field-reads.ts'
import { ofRow, visible } from '../../engine/compiler/rules.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'

/** How many ancestors a publication shows at most. */
export const maxAncestors = 100

/** Whether a publication, which may be deleted, is shown to the viewer. */
const isShown = (publication: Sql, rules: Rules) =>
  all(sql`${publication}.deleted_at is null`, visible(rules, 'LivePublication', 'lists', ofRow(publication)))

/** All publications with the same root as the row, oldest first. Those that are not shown are places. */
export const thread: PageRead = {
  order: 'asc',
  hasHidden: true,
  query: (_window, rules) => sql`select p.*, ${isShown(sql`p`, rules)} as is_shown from publications p`,
  where: (it, row) => sql`${it}.root_id = ${row}.root_id`,
}

/** What the row replies to, what that replies to, and so on: one step in an index for each. */
export const ancestors: ListRead = {
  rows: maxAncestors,
  orderBy: (it) => sql`${it}.distance desc`,
  hasHidden: true,
  query: (row, rules) => sql`
    with recursive line as (
      select p.*, 1 as distance from publications p where p.id = ${row}.parent_id
      union all select p.*, line.distance + 1 from line join publications p on p.id = line.parent_id
        where line.distance < ${maxAncestors})
    select line.*, ${isShown(sql`line`, rules)} as is_shown from line`,
}
