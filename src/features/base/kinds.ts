import type { ChangeKind, NotificationKind } from '../../engine/data/generated/prisma/enums.ts'
import { type Scope, satisfies, scopeSetsOf } from '../../engine/scopes.ts'
import { type Permission, readUser } from './permissions.ts'
import { hidesBoth, inWords, type Relation, relationNotifications, relations } from './relations.ts'

/** A kind of changes or of notifications, as the API describes it, and what a token must permit to see it. */
type Kind = { readonly description: string; readonly permission?: Permission | undefined }

/** The kinds of the changes of a relation. */
function kindsOf(relation: Relation): readonly (readonly [ChangeKind, Kind])[] {
  const { objectType, on, off, change } = relation
  if (!change) return []
  const { permission } = change
  const isOfUsers = objectType === 'user'
  const what = isOfUsers ? 'A user' : 'A post or a reply'
  const gone = isOfUsers ? 'one of the accounts' : `the account that ${on.done} it`
  const [who, hidden, shown] = hidesBoth(relation)
    ? [
        ', which only the two accounts see',
        ' Read timelines and lists again: they no longer contain what this account publishes. Every source ' +
          'includes it.',
        ' Read timelines and lists again. Every source includes it.',
      ]
    : ['', '', '']
  return [
    [change.on, { description: `${what} was ${on.done}${who}.${hidden}`, permission }],
    [change.off, { description: `${what} was ${off.done}, or ${gone} was deleted${who}.${shown}`, permission }],
  ]
}

const deletedWith = inWords(
  relations.flatMap(({ objectType, change, name }) => (objectType === 'publication' && change ? name.many : [])),
)

/** All kinds of changes. A test compares them with those of the database. */
export const changeKinds = new Map<ChangeKind, Kind>([
  ['PUBLISHED', { description: 'A post or a reply was sent.' }],
  [
    'EDITED',
    {
      description:
        'A post or a reply was edited, locked or unlocked, was given a warning by a moderator, or lost its quote.',
    },
  ],
  ['DELETED', { description: `A post or a reply was deleted, with its ${deletedWith}.` }],
  ...relations.flatMap(kindsOf),
  [
    'NOTIFIED',
    {
      description:
        "The viewer's notifications changed because of something that no other source of the filter selects. " +
        '`actor` did what notifies the viewer; it is the viewer when moderators did something, and, ' +
        'without a `publication`, when notifications were read or taken back.',
    },
  ],
  [
    'PROFILE_EDITED',
    {
      description:
        'The username, the display name, the biography, the e-mail address, the languages or the privacy of ' +
        'the viewer changed. Nobody else sees this change.',
      permission: readUser,
    },
  ],
  [
    'ACCOUNT_HIDDEN',
    {
      description:
        'An account was suspended, or its deletion began or ended: forget what it published, its follows and ' +
        'its notifications. Every source includes it.',
      permission: readUser,
    },
  ],
  [
    'ACCOUNT_SHOWN',
    {
      description:
        'An account was reinstated, its deletion was cancelled, or it is no longer private: read timelines and ' +
        'lists again. Every source includes it.',
      permission: readUser,
    },
  ],
  [
    'RESTRICTED',
    {
      description:
        'An account became private: remove what it published, and read again what the viewer may see. Every ' +
        'source includes it.',
      permission: readUser,
    },
  ],
])

/** The kinds of the changes of these relations: when they are set, and when they are taken back. */
export const changeKindsOf = (of: readonly Relation[]): readonly ChangeKind[] =>
  of.flatMap(({ change }) => (change ? [change.on, change.off] : []))

/** The kinds of changes that take back what notified somebody. */
export const takingBack: readonly ChangeKind[] = [
  ...relations.flatMap(({ change, notification }) => (change && notification ? change.off : [])),
  'DELETED',
]

/** All kinds of notifications. A test compares them with those of the database. */
export const notificationKinds = new Map<NotificationKind, Kind>([
  ['REPLY', { description: 'A reply to a publication of the viewer.' }],
  ['QUOTE', { description: "A publication that quotes one of the viewer's, unless it replies to one." }],
  ['MENTION', { description: 'A publication that mentions the viewer.' }],
  ...relationNotifications.map(
    ({ kind, of }) => [kind, { description: `${of}. On a page, they are one notification until it is read.` }] as const,
  ),
  ['REMOVED', { description: 'A publication of the viewer was removed by moderators.' }],
  ['WARNED', { description: 'A publication of the viewer was given a warning by moderators.' }],
])

/** The kinds of notifications that are one for all who did the same. */
export const groupedKinds: readonly NotificationKind[] = relationNotifications.map(({ kind }) => kind)

const setsOfKinds = [...changeKinds].flatMap(([kind, { permission }]) =>
  permission ? [{ kind, sets: scopeSetsOf(permission) }] : [],
)

/** The kinds of changes that are left out for a token with these scopes. */
export function kindsWithout(scopes: ReadonlySet<Scope>): readonly ChangeKind[] {
  return setsOfKinds.flatMap(({ kind, sets }) => (satisfies(scopes, sets) ? [] : kind))
}
