import type { ListRead, PageRead, Rules } from '../../engine/compiler/field-reads.ts'
import { ofRow, visible } from '../../engine/compiler/rows.ts'
import { all, type Sql, sql } from '../../engine/compiler/sql.ts'
import { builder } from '../base/builder.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { readAnyPublication } from '../base/permissions.ts'
import { Publication } from '../posts/schema.ts'

/** How many ancestors a publication shows at most. */
const maxAncestors = 100

/** Whether a publication, which may be deleted, is shown to the viewer. */
const isShown = (publication: Sql, rules: Rules) =>
  all(sql`${publication}.deleted_at is null`, visible(rules, 'LivePublication', 'lists', ofRow(publication)))

/** All publications with the same root as the row, oldest first. Those that are not shown are places. */
const thread: PageRead = {
  order: 'asc',
  hasHidden: true,
  query: (_window, rules) => sql`select p.*, ${isShown(sql`p`, rules)} as is_shown from publications p`,
  where: (it, row) => sql`${it}.root_id = ${row}.root_id`,
}

/** What the row replies to, what that replies to, and so on: one step in an index for each. */
const ancestors: ListRead = {
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

const ThreadPlace = builder.prismaObject('Publication', {
  variant: 'ThreadPlace',
  description:
    'A publication of a thread that was deleted or is hidden from the viewer. Its replies remain, and so does its place.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid of the publication.' }),
    parentUuid: t.expose('parentId', {
      type: 'UUID',
      nullable: true,
      description: 'The uuid of the publication that it replied to; null for a post.',
    }),
  }),
})

const ThreadConnection = pageOf(Publication, 'Thread', 'a thread')

builder.objectFields(ThreadConnection, (t) => ({
  places: t.field({
    type: [ThreadPlace],
    description:
      'Publications of the page that were deleted or are hidden from the viewer, in the same order. They ' +
      'count: a page has at most `first` nodes and places together, and its cursors may be those of places.',
    resolve: ({ places = [] }) => [...places],
  }),
}))

builder.prismaInterfaceFields(Publication, (t) => ({
  ancestors: t.field({
    type: [Publication],
    nullable: { list: false, items: true },
    permission: readAnyPublication,
    description:
      `The publications above it in its thread, the post first: at most the ${maxAncestors} nearest. An ` +
      'element is null, whatever is selected, if the publication was deleted or is hidden from the viewer; ' +
      'its uuid is the `parentUuid` of the next element.',
    read: ancestors,
  }),
  thread: t.field({
    type: ThreadConnection,
    permission: readAnyPublication,
    args: numberedPageArgs(t.arg),
    description:
      'The whole thread that it belongs to, oldest first: a post, its replies, their replies and so on. It ' +
      'is the same from each of its publications.',
    read: thread,
  }),
}))
