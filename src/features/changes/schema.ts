import { maxScan } from '../../engine/compiler/limits.ts'
import { described } from '../../engine/schema/permission-plugin.ts'
import { type ScopeSets, scopeSetsOf } from '../../engine/scopes.ts'
import { User } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { changeKinds, changeKindsOf } from '../base/kinds.ts'
import { maxLookups } from '../base/lookup-list.ts'
import { forwardPageArgs, pageOf } from '../base/pages.ts'
import { readAnyPublication, readNotifications, readUser } from '../base/permissions.ts'
import { relationsTo } from '../base/relations.ts'
import { Publication } from '../posts/schema.ts'
import * as reads from './reads.ts'

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'The kind of a change.',
  values: Object.fromEntries(
    [...changeKinds].map(([kind, { description, permission }]) => [kind, described(description, permission)]),
  ),
})

const ofPublications = ['PUBLISHED', 'EDITED', 'DELETED', ...changeKindsOf(relationsTo('publication'))]

const Change = builder.prismaObject('Change', {
  description:
    'A change that an account made, with its objects in their current state. By its `kind`, it has a ' +
    `\`publication\` (${ofPublications.map((kind) => `\`${kind}\``).join(', ')}) or a \`user\` (the others; ` +
    '`NOTIFIED` may have both), unless that was deleted.',
  fields: (t) => ({
    cursor: t.string({
      description: 'The opaque position after this change, for `after`.',
      read: reads.cursorOfChange,
    }),
    kind: t.field({
      type: ChangeKind,
      description: `The kind of the change. ${reads.orderOfSimultaneousChanges}`,
      read: reads.kindOfChange,
    }),
    changesNotifications: t.boolean({
      description:
        'Whether the notifications of the viewer may have changed with it: read them again. False unless the ' +
        'filter asks for `notifications`.',
      read: reads.changesNotifications,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the change was made.' }),
    actor: t.field({
      type: User,
      nullable: true,
      permission: readUser,
      description: 'The account that made the change; null if it was deleted or is hidden from the viewer.',
      read: reads.actorOfChange,
    }),
    actorUuid: t.field({
      type: 'UUID',
      permission: readUser,
      description: 'The uuid of the account that made the change, even after its deletion.',
      read: reads.actorUuid,
    }),
    uuid: t.field({
      type: 'UUID',
      description:
        'The uuid of the publication or of the user, even after its deletion. When a new follower or a ' +
        'request notifies the viewer, it is that of the viewer.',
      read: reads.changedUuid,
    }),
    publication: t.field({
      type: Publication,
      nullable: true,
      description: 'The publication; null if it was deleted, and for changes of users.',
      read: reads.changedPublication,
    }),
    user: t.field({
      type: User,
      nullable: true,
      permission: readUser,
      description:
        'The user who was followed, blocked, notified, shown again or made private, or whose profile was ' +
        'edited; null if the account was deleted, and for changes of publications.',
      read: reads.changedUser,
    }),
  }),
})

const ChangeConnection = pageOf(Change, 'Change', 'changes')

const ChangeFilter = builder.inputType('ChangeFilter', {
  description:
    'Selects the changes of any of its sources, at least one. Each source is complete, whatever others ' +
    `are named. Lists have at most ${maxLookups} elements.`,
  fields: (t) => ({
    home: t.boolean({
      description:
        'What the viewer and the accounts that the viewer follows publish, edit, delete and repost. Also the likes ' +
        'and the profile of the viewer, and follows of or by the viewer. What others do to a publication that was ' +
        'reposted is in `publications`.',
    }),
    public: t.boolean({ description: 'Posts for everybody, when they are published, edited or deleted.' }),
    repliesTo: t.field({ type: ['UUID'], description: 'Changes of the direct replies to these publications.' }),
    quotesOf: t.field({ type: ['UUID'], description: 'Changes of what quotes these publications.' }),
    publications: t.field({ type: ['UUID'], description: 'Changes of these publications.' }),
    threads: t.field({
      type: ['UUID'],
      description: 'Changes of all publications in the threads of these publications.',
    }),
    users: t.field({
      type: ['UUID'],
      description:
        'What these users publish, edit, delete and repost, and their follows and followers, as far as the viewer may see them. ' +
        'Their likes are included for the viewer only.',
    }),
    hashtags: t.stringList({
      description:
        'Publications with these hashtags, when they are published, edited or deleted, also by an edit that removes the hashtag.',
    }),
    notifications: t.boolean(
      described(
        'Changes of the notifications of the viewer. They have the kind `NOTIFIED`, unless another source ' +
          'selects them, too: a change comes once, as that source shows it, with `changesNotifications`.',
        readNotifications,
      ),
    ),
    kinds: t.field({
      type: [ChangeKind],
      description: 'Only changes of these kinds; null selects all that the token may see.',
    }),
  }),
})

/** The scopes that a filter requires: those of its notifications, and of the kinds that it names. */
function scopesOfFilter({ notifications, kinds }: Readonly<Record<string, unknown>>): ReadonlyMap<string, ScopeSets> {
  const needed = new Map<string, ScopeSets>()
  if (notifications === true) needed.set('`of.notifications`', scopeSetsOf(readNotifications))
  for (const [kind, { permission }] of changeKinds)
    if (permission && Array.isArray(kinds) && kinds.includes(kind))
      needed.set(`The kind \`${kind}\``, scopeSetsOf(permission))
  return needed
}

const what = { type: ChangeFilter, required: true, description: 'Selects the changes.' } as const

const leftOut = 'Kinds whose scopes the token does not have are left out; a filter that names them is refused.'

builder.queryFields((t) => ({
  changeCursor: t.string({
    permission: readAnyPublication,
    description:
      'A cursor of the change feed from the same snapshot as this query: later changes come after it. ' +
      '`node` and `nodes` are read separately, so they may miss changes before it.',
    read: reads.changeCursor,
    extensions: { isOfFeed: true },
  }),
  changes: t.field({
    type: ChangeConnection,
    permission: readAnyPublication,
    description:
      `Changes in an append-only order; a page looks at no more than ${maxScan} of them, and \`endCursor\` ` +
      `is where it ended, even if it is empty. ${leftOut} Errors: \`CURSOR_EXPIRED\`.`,
    args: {
      of: t.arg(what),
      ...forwardPageArgs(
        t.arg,
        'Only changes after this cursor. By default, the feed starts now: the page is empty, and its ' +
          '`endCursor` is the current position.',
      ),
    },
    read: reads.changes,
    extensions: {
      isOfFeed: true,
      scopesOfArguments: ({ of }: { readonly of?: unknown }) => scopesOfFilter(Object(of)),
    },
  }),
}))

builder.subscriptionFields((t) => ({
  changes: t.field({
    type: Change,
    permission: readAnyPublication,
    description:
      'Changes as they are made, in the order of `Query.changes`. It reads pages of that field, at the ' +
      `same cost. ${leftOut} Errors: \`CURSOR_EXPIRED\`.`,
    args: {
      of: t.arg(what),
      after: t.arg.string({
        description: 'Only changes after this cursor, or after that of `Last-Event-ID`. By default, only new changes.',
      }),
    },
    // `engine/graphql/subscribe.ts` reads its pages instead.
    subscribe: notRun,
    resolve: notRun,
  }),
}))

function notRun(): never {
  throw new TypeError('Subscriptions have no resolvers')
}
