import {
  readAnyPublication,
  readFollowers,
  readFollowing,
  readNotifications,
  readUser,
  scopeSetsOf,
} from '../domain/permissions.ts'
import * as reads from '../reads/changes.ts'
import { maxLookups } from '../reads/lookup-list.ts'
import { objectIn } from '../reads/read.ts'
import { sql } from '../reads/sql.ts'
import type { ScopeSets } from '../scopes.ts'
import { builder } from './builder.ts'
import { forwardPageArgs, pageOf } from './pages.ts'
import { Publication } from './publication.ts'
import { User } from './user.ts'

const ChangeKind = builder.enumType('ChangeKind', {
  description: 'What was done.',
  values: {
    PUBLISHED: { description: 'A post or a reply was sent.' },
    EDITED: { description: 'A post or a reply was edited, locked or unlocked.' },
    DELETED: { description: 'A post or a reply was deleted, with its likes.' },
    LIKED: { description: 'A post or a reply was liked.' },
    UNLIKED: { description: 'A like was taken back, or its account was deleted.' },
    FOLLOWED: { description: 'A user was followed.' },
    UNFOLLOWED: { description: 'A follow was taken back, or one of its accounts was deleted.' },
    BLOCKED: {
      description:
        'A user was blocked: read timelines and lists again, because they no longer have what this account publishes. Only both accounts see it.',
    },
    UNBLOCKED: {
      description:
        'A block was taken back, or one of its accounts was deleted: read timelines and lists again. Only both accounts see it.',
    },
    NOTIFIED: {
      description:
        'The notifications of the viewer changed. Nobody else sees it. `actor` caused a new one, or joined one with a like or a follow. It is the viewer when moderators removed something, and, without a `publication`, when notifications were read or taken back.',
    },
  } as const,
})

const Change = builder.prismaObject('Change', {
  description: 'A change that somebody made. It links to its objects in their current state.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Opaque position after this change, for `after`.',
      read: reads.cursorOfChange,
    }),
    kind: t.expose('kind', {
      type: ChangeKind,
      description: `What was done. ${reads.orderOfSimultaneousChanges}`,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was done.' }),
    actor: t.field({
      type: User,
      nullable: true,
      permission: readUser,
      description: 'Who did it; null if the account was deleted.',
      read: objectIn(sql`actor_id`),
    }),
    actorUuid: t.field({
      type: 'UUID',
      permission: readUser,
      description: 'Identifier of who did it, even after the deletion of the account.',
      read: reads.actorUuid,
    }),
    uuid: t.field({
      type: 'UUID',
      description:
        'Identifier of the publication, or of the user who was followed or blocked, even after its deletion. Of a notification of a follower it is the viewer.',
      read: reads.changedUuid,
    }),
    publication: t.field({
      type: Publication,
      nullable: true,
      description: 'The publication; null if it was deleted, and for follows and blocks.',
      read: objectIn(sql`publication_id`),
    }),
    user: t.field({
      type: User,
      nullable: true,
      permission: readUser,
      description:
        'The user who was followed or blocked, or notified; null if the account was deleted, and for other changes.',
      read: objectIn(sql`user_id`),
    }),
  }),
})

const ChangeConnection = pageOf(Change, 'Change', 'changes')

const ChangeFilter = builder.inputType('ChangeFilter', {
  description: `The changes of any of its sources, of which at least one is required. Lists have at most ${maxLookups} elements.`,
  fields: (t) => ({
    home: t.boolean({
      description:
        'What the viewer and the accounts that the viewer follows publish, edit and delete, the likes of the viewer, and who follows or blocks the viewer or is followed or blocked by the viewer.',
    }),
    public: t.boolean({ description: 'Posts of all users that are published, edited or deleted.' }),
    repliesTo: t.field({ type: ['UUID'], description: 'Everything about the direct replies to these publications.' }),
    publications: t.field({ type: ['UUID'], description: 'Everything about these publications.' }),
    threads: t.field({
      type: ['UUID'],
      description: 'Everything about the publications of the threads that these publications belong to.',
    }),
    users: t.field({
      type: ['UUID'],
      description:
        'What these users publish, edit and delete, and whom they follow and are followed by. Their likes only for the viewer.',
    }),
    hashtags: t.stringList({
      description:
        'Publications with these hashtags that are published, edited or deleted, also by an edit that removes the hashtag.',
    }),
    notifications: t.boolean({
      description: 'Notifications of the viewer. Requires the scope `notification.get`.',
    }),
    kinds: t.field({ type: [ChangeKind], description: 'Only changes of these kinds; null for all.' }),
  }),
})

const relations = ['FOLLOWED', 'UNFOLLOWED', 'BLOCKED', 'UNBLOCKED'] as const

/** Whether a filter may select follows or blocks. */
function selectsRelations({ home, users, kinds }: Readonly<Record<string, unknown>>): boolean {
  const isOfRelations = !Array.isArray(kinds) || relations.some((kind) => kinds.includes(kind))
  return isOfRelations && (home === true || Array.isArray(users))
}

const what = { type: ChangeFilter, required: true, description: 'Which changes.' } as const

const readFollows = [[readFollowing, readFollowers].flatMap((permission) => scopeSetsOf(permission).flat())]

builder.queryFields((t) => ({
  changeCursor: t.string({
    permission: readAnyPublication,
    description:
      'A cursor from the same snapshot as this query. Later changes come after it. `node` and `nodes` are read apart, so they may lack changes before it.',
    read: reads.changeCursor,
    extensions: { isOfFeed: true },
  }),
  changes: t.field({
    type: ChangeConnection,
    permission: readAnyPublication,
    description: `Changes, in an append-only order. One page looks at no more than ${reads.scannedChanges} changes: \`endCursor\` is where it ended, also on an empty page. Follows and blocks require the scopes \`user.following.get\` and \`user.followers.get\`: without them, leave them out with \`kinds\`. Errors: \`CURSOR_EXPIRED\`.`,
    args: {
      of: t.arg(what),
      ...forwardPageArgs(
        t.arg,
        'Only changes after this cursor. By default now: the page is empty, and its `endCursor` is the cursor of now.',
      ),
    },
    read: reads.changes,
    extensions: {
      isOfFeed: true,
      scopesOfArguments: ({ of }: { readonly of?: unknown }) => {
        const filter = Object(of)
        const needed = new Map<string, ScopeSets>()
        if (selectsRelations(filter)) needed.set('follows and blocks in Query.changes', readFollows)
        if (filter.notifications === true) needed.set('notifications in Query.changes', scopeSetsOf(readNotifications))
        return needed
      },
    },
  }),
}))

builder.subscriptionFields((t) => ({
  changes: t.field({
    type: Change,
    permission: readAnyPublication,
    description:
      'Changes as they are made, in the order of `Query.changes`, whose pages it reads: each costs what that field costs there. Errors: `CURSOR_EXPIRED`.',
    args: {
      of: t.arg(what),
      after: t.arg.string({
        description: 'Only changes after this cursor, or after that of `Last-Event-ID`. By default now.',
      }),
    },
    // `useSubscriptions` runs it.
    subscribe: notRun,
    resolve: notRun,
  }),
}))

function notRun(): never {
  throw new TypeError('Subscriptions have no resolvers')
}
