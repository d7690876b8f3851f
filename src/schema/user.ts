import { blocks, follows, mutes } from '../domain/edges.ts'
import { manageAccount, readFollowers, readFollowing, readUser } from '../domain/permissions.ts'
import { usernameBounds, usernameCharacters, usernameKeptDays } from '../domain/username.ts'
import { longText } from '../reads/cost.ts'
import { hasViewer, makersOf, objectsOf, viewerHas, viewersObjectsOf } from '../reads/edges.ts'
import { lookupList, maxLookups } from '../reads/lookup-list.ts'
import { globalId, version } from '../reads/read.ts'
import * as reads from '../reads/users.ts'
import { builder } from './builder.ts'
import { numberedPageArgs, pageOf } from './pages.ts'

/** The description of a username. */
export const usernameDescription = `Username: ${usernameBounds.min} to ${usernameBounds.max} of ${usernameCharacters}. Unique, ignoring case.`

const Badge = builder.prismaObject('Badge', {
  description: 'A badge that a user was given.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier (UUID).' }),
    name: t.exposeString('name', { description: 'Name of the badge.' }),
  }),
})

/** An account. Its posts and likes are in `publication.ts`. */
export const User = builder.prismaObject('User', {
  description: 'An account.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: readUser },
  fields: (t) => ({
    id: t.id({ description: 'Opaque global id, for `node`.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'Identifier, the same as in the REST interface.' }),
    username: t.exposeString('username', { description: usernameDescription }),
    displayName: t.exposeString('displayName', {
      description: 'Display name, 1 to 50 characters.',
    }),
    avatar: t.field({
      type: 'URL',
      description:
        'URL of an image: the Gravatar of the e-mail address, or a generated image. Some servers always generate it.',
      read: reads.avatar,
    }),
    email: t.field({
      type: 'EmailAddress',
      nullable: true,
      description: 'E-mail address of the viewer, if the token has the scope `user.email`; null for anybody else.',
      read: reads.email,
    }),
    emailVerified: t.boolean({
      nullable: true,
      description:
        "Whether the viewer's e-mail address was verified, if the token has the scope `user.email`; null for anybody else.",
      read: reads.emailVerified,
    }),
    badges: t.field({ type: [Badge], description: 'Badges of the user, ordered by name.', read: reads.badges }),
    bio: t.exposeString('bio', { description: 'Biography, at most 500 characters.', cost: longText }),
    followerCount: t.exposeInt('followerCount', {
      description: 'Number of accounts that follow this account, the same for everybody.',
    }),
    followingCount: t.exposeInt('followingCount', {
      description: 'Number of accounts that this account follows, the same for everybody.',
    }),
    viewerIsFollowing: t.boolean({
      description: 'Whether the viewer follows this account.',
      read: viewerHas(follows),
    }),
    followsViewer: t.boolean({
      description: 'Whether this account follows the viewer.',
      read: hasViewer(follows),
    }),
    viewerIsBlocking: t.boolean({
      description:
        'Whether the viewer blocks this account. While either blocks the other, neither finds what the other publishes, and the lists of this account are empty.',
      read: viewerHas(blocks),
    }),
    isBlockingViewer: t.boolean({
      description: 'Whether this account blocks the viewer.',
      read: hasViewer(blocks),
    }),
    viewerIsMuting: t.boolean({
      description:
        'Whether the viewer mutes this account: their timelines leave out what it publishes. Nobody else sees this.',
      read: viewerHas(mutes),
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'When the account was created.' }),
    version: t.string({
      description:
        'Changes with every change of the account itself, counters included. Compare versions for equality only.',
      read: version,
    }),
  }),
})

/** Pages of users. */
export const UserConnection = pageOf(User, 'User', 'users')

builder.prismaObjectFields(User, (t) => ({
  following: t.field({
    type: UserConnection,
    permission: readFollowing,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that the user follows, most recent follow first.',
    read: objectsOf(follows),
  }),
  followers: t.field({
    type: UserConnection,
    permission: readFollowers,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that follow the user, most recent follow first.',
    read: makersOf(follows),
  }),
  blocks: t.field({
    type: UserConnection,
    nullable: true,
    permission: manageAccount,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that the viewer blocks, most recent block first; null for anybody else.',
    read: { ...viewersObjectsOf(blocks), place: 'everywhere' },
  }),
  mutes: t.field({
    type: UserConnection,
    nullable: true,
    permission: manageAccount,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that the viewer mutes, most recent mute first; null for anybody else.',
    read: { ...viewersObjectsOf(mutes), place: 'everywhere' },
  }),
}))

/** One account, by its uuid or its username. */
export const UserBy = builder.inputType('UserBy', {
  description: 'Identifies a user by exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'Identifier of the user.' }),
    username: t.string({
      description: `Username, in any case, with or without \`@\`. One that the user has left finds them for ${usernameKeptDays} days.`,
    }),
  }),
})

builder.queryFields((t) => ({
  viewer: t.field({
    type: User,
    nullable: true,
    permission: readUser,
    description: 'The owner of the token.',
    read: reads.viewingUser,
  }),
  user: t.field({
    type: User,
    nullable: true,
    permission: readUser,
    description: 'Finds a user; null if there is none.',
    args: { by: t.arg({ type: UserBy, required: true, description: 'The user to find.' }) },
    read: reads.userBy(({ by }) => reads.namesIn(by)),
  }),
  users: t.field({
    type: [User],
    nullable: { list: false, items: true },
    permission: readUser,
    description: `Finds users, at most ${maxLookups}, in the same order; null for each that does not exist.`,
    args: { by: t.arg({ type: [UserBy], required: true, description: 'The users to find.' }) },
    read: reads.usersBy(({ by }) => lookupList('by', by).map(reads.namesIn)),
  }),
}))
