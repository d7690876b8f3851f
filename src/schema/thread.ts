import { readAnyPublication } from '../domain/permissions.ts'
import { ancestors, maxAncestors, thread } from '../reads/threads.ts'
import { builder } from './builder.ts'
import { numberedPageArgs, pageOf } from './pages.ts'
import { Publication } from './publication.ts'

const ThreadPlace = builder.prismaObject('Publication', {
  variant: 'ThreadPlace',
  description:
    'A publication of a thread that was deleted or is hidden from the viewer, so that its replies have a parent.',
  fields: (t) => ({
    uuid: t.expose('id', { type: 'UUID', description: 'Identifier of the publication.' }),
    parentUuid: t.expose('parentId', {
      type: 'UUID',
      nullable: true,
      description: 'Identifier of the publication that it replied to; null for a post.',
    }),
  }),
})

const ThreadConnection = pageOf(Publication, 'Thread', 'a thread')

builder.objectFields(ThreadConnection, (t) => ({
  places: t.field({
    type: [ThreadPlace],
    description:
      'Publications of the page that were deleted or are hidden from the viewer, in the same order. They count: a page has at most `first` nodes and places together, and its cursors may be those of places.',
    resolve: ({ places = [] }) => [...places],
  }),
}))

builder.prismaInterfaceFields(Publication, (t) => ({
  ancestors: t.field({
    type: [Publication],
    nullable: { list: false, items: true },
    permission: readAnyPublication,
    description: `What it replies to, what that replies to, and so on, the post first: at most the ${maxAncestors} nearest. Null in place of one that was deleted or is hidden from the viewer.`,
    read: ancestors,
  }),
  thread: t.field({
    type: ThreadConnection,
    permission: readAnyPublication,
    args: numberedPageArgs(t.arg),
    description:
      'The whole thread that it belongs to, the same from each of its publications: a post, its replies, their replies and so on, oldest first.',
    read: thread,
  }),
}))
