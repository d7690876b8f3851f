import { builder } from '../base/builder.ts'
import { numberedPageArgs, pageOf } from '../base/pages.ts'
import { readAnyPublication } from '../base/permissions.ts'
import { Publication } from '../posts/schema.ts'
import { ancestors, maxAncestors, thread } from './thread-reads.ts'

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
      'Publications of the page that were deleted or are hidden from the viewer, in the same order. They count: a page has at most `first` nodes and places together, and its cursors may be those of places.',
    resolve: ({ places = [] }) => [...places],
  }),
}))

builder.prismaInterfaceFields(Publication, (t) => ({
  ancestors: t.field({
    type: [Publication],
    nullable: { list: false, items: true },
    permission: readAnyPublication,
    description: `The publications above it in its thread, the post first: at most the ${maxAncestors} nearest. An element is null, whatever is selected, if it was deleted or is hidden from the viewer; the \`parentUuid\` of the next one is its uuid.`,
    read: ancestors,
  }),
  thread: t.field({
    type: ThreadConnection,
    permission: readAnyPublication,
    args: numberedPageArgs(t.arg),
    description:
      'The whole thread that it belongs to, oldest first: a post, its replies, their replies and so on. It is the same from each of its publications.',
    read: thread,
  }),
}))
