import { bioBounds, displayNameBounds, isUsername } from '../domain/accounts.ts'
import { readFollowers, readFollowing, readLikes, readPost, readUser } from '../domain/permissions.ts'
import { likedPublications } from '../reads/likes.ts'
import { lookupList, maxLookups } from '../reads/lookup-list.ts'
import { globalId, uuid } from '../reads/read.ts'
import { postsOfUser } from '../reads/timelines.ts'
import * as reads from '../reads/users.ts'
import { builder } from './builder.ts'
import { nested, root, value, versionOf } from './compiled.ts'
import { numberedPageArgs, PostConnection, PublicationConnection, UserConnection } from './connections.ts'
import { asciiOf, textOf } from './cost.ts'
import type { Connection } from './pages.ts'
import { type BadgeRow, type PublicationRow, User, type UserRow } from './refs.ts'

const Badge = builder.objectRef<BadgeRow>('Badge').implement({
  description: 'A badge that a user was given.',
  extensions: { entity: reads.badgeEntity },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier (UUID).' }),
    name: t.exposeString('name', { description: 'Name of the badge.', ...textOf(50) }),
  }),
})

builder.objectType(User, {
  description: 'An account.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { entity: reads.userEntity, nodePermission: readUser },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Opaque global id, for `node`.', ...value(globalId) }),
    uuid: t.expose('uuid', {
      type: 'UUID',
      description: 'Identifier, the same as in the REST interface.',
      ...value(uuid),
    }),
    username: t.exposeString('username', {
      description: 'Username: 1 to 30 of A-Z, a-z, 0-9 and _. Unique, ignoring case.',
      ...asciiOf(30),
    }),
    displayName: t.exposeString('displayName', {
      description: 'Display name, 1 to 50 characters.',
      ...textOf(displayNameBounds.max),
    }),
    avatar: t.expose('avatar', {
      type: 'URL',
      description:
        'URL of an image: the Gravatar of the e-mail address, or a generated image. Some servers always generate it.',
      ...value(reads.avatar, 110),
    }),
    email: t.expose('email', {
      type: 'EmailAddress',
      nullable: true,
      description: 'E-mail address of the viewer, if the token has the scope `user.email`; null for anybody else.',
      ...value(reads.email),
    }),
    emailVerified: t.exposeBoolean('emailVerified', {
      nullable: true,
      description:
        "Whether the viewer's e-mail address was verified, if the token has the scope `user.email`; null for anybody else.",
      ...value(reads.emailVerified),
    }),
    badges: t.field({
      type: [Badge],
      description: 'Badges of the user, ordered by name.',
      ...nested<readonly BadgeRow[]>(reads.badges),
    }),
    bio: t.exposeString('bio', {
      description: 'Biography, at most 500 characters.',
      ...textOf(bioBounds.max),
    }),
    followerCount: t.exposeInt('followerCount', { description: 'Number of accounts that follow this account.' }),
    followingCount: t.exposeInt('followingCount', { description: 'Number of accounts that this account follows.' }),
    viewerIsFollowing: t.exposeBoolean('viewerIsFollowing', {
      description: 'Whether the viewer follows this account.',
      ...value(reads.viewerIsFollowing),
    }),
    followsViewer: t.exposeBoolean('followsViewer', {
      description: 'Whether this account follows the viewer.',
      ...value(reads.followsViewer),
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'When the account was created.' }),
    version: t.exposeString('version', {
      description:
        'Changes with every change of the account itself, counters included. Compare versions for equality only.',
      ...versionOf,
    }),
    posts: t.field({
      type: PostConnection,
      permission: readPost,
      args: numberedPageArgs(t.arg),
      description: 'Posts of the user without replies, newest first.',
      ...nested<Connection<PublicationRow>>(postsOfUser),
    }),
    following: t.field({
      type: UserConnection,
      permission: readFollowing,
      args: numberedPageArgs(t.arg),
      description: 'Accounts that the user follows, most recent follow first.',
      ...nested<Connection<UserRow>>(reads.following),
    }),
    followers: t.field({
      type: UserConnection,
      permission: readFollowers,
      args: numberedPageArgs(t.arg),
      description: 'Accounts that follow the user, most recent follow first.',
      ...nested<Connection<UserRow>>(reads.followers),
    }),
    likes: t.field({
      type: PublicationConnection,
      nullable: true,
      permission: readLikes,
      args: numberedPageArgs(t.arg),
      description: 'Publications that the viewer likes, most recent like first; null for anybody else.',
      ...nested<Connection<PublicationRow> | null>(likedPublications),
    }),
  }),
})

const UserBy = builder.inputType('UserBy', {
  description: 'Identifies a user by exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'Identifier of the user.' }),
    username: t.string({ description: 'Username, in any case.' }),
  }),
})

builder.queryFields((t) => ({
  viewer: t.field({
    type: User,
    nullable: true,
    permission: readUser,
    description: 'The owner of the token.',
    ...root<UserRow | null>(reads.viewingUser),
  }),
  user: t.field({
    type: User,
    nullable: true,
    permission: readUser,
    description: 'Finds a user; null if there is none.',
    args: { by: t.arg({ type: UserBy, required: true, description: 'The user to find.' }) },
    ...root<UserRow | null>(reads.userBy(({ by }) => namesIn(by))),
  }),
  users: t.field({
    type: [User],
    nullable: { list: false, items: true },
    permission: readUser,
    description: `Finds users, at most ${maxLookups}, in the same order; null for each that does not exist.`,
    args: { by: t.arg({ type: [UserBy], required: true, description: 'The users to find.' }) },
    ...root<readonly (UserRow | null)[]>(reads.usersBy(({ by }) => lookupList('by', by).map(namesIn))),
  }),
}))

/** The members of a `UserBy`. A text that cannot be a username matches nobody. */
function namesIn(by: unknown) {
  const { uuid, username } = Object(by)
  const isName = typeof username === 'string' && isUsername(username)
  return { uuid, username: isName ? username.toLowerCase() : undefined }
}
