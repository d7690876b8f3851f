import { bioBounds, displayNameBounds, isUsername } from '../domain/accounts.ts'
import { globalId, uuid } from '../reads/read.ts'
import { postsOfUser } from '../reads/timelines.ts'
import * as reads from '../reads/users.ts'
import { builder } from './builder.ts'
import { nested, root, value } from './composed.ts'
import { numberedPageArgs, PostConnection, UserConnection } from './connections.ts'
import { asciiOf, textOf } from './cost.ts'
import type { Connection } from './pages.ts'
import { type BadgeRow, type PublicationRow, User, type UserRow } from './refs.ts'

const Badge = builder.objectRef<BadgeRow>('Badge').implement({
  description: 'A mark of distinction that a user wears.',
  extensions: { entity: reads.badgeEntity },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the badge (UUID).' }),
    name: t.exposeString('name', { description: 'What it says.', ...textOf(50) }),
  }),
})

builder.objectType(User, {
  description: 'An account, as others see it.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { entity: reads.userEntity },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Global id, for `node`. It is opaque.', ...value(globalId) }),
    uuid: t.expose('uuid', { type: 'UUID', description: 'Identifier, as the REST interface has it.', ...value(uuid) }),
    username: t.exposeString('username', {
      description: 'Handle, unique without regard to case: 1 to 30 of A-Z, a-z, 0-9 and _.',
      ...asciiOf(30),
    }),
    displayName: t.exposeString('displayName', {
      description: 'Name that is shown, 1 to 50 characters.',
      ...textOf(displayNameBounds.max),
    }),
    avatar: t.expose('avatar', {
      type: 'URL',
      description:
        'Picture: the Gravatar of the e-mail address, or a generated one; on some servers always a generated one.',
      ...value(reads.avatar, 110),
    }),
    email: t.expose('email', {
      type: 'EmailAddress',
      nullable: true,
      description: "The viewer's own, with the scope `user.email`; else null.",
      ...value(reads.email),
    }),
    emailVerified: t.exposeBoolean('emailVerified', {
      nullable: true,
      description: "Whether the viewer's own address was verified, with the scope `user.email`; else null.",
      ...value(reads.emailVerified),
    }),
    badges: t.field({
      type: [Badge],
      description: 'What the user was distinguished with, by name.',
      ...nested<readonly BadgeRow[]>(reads.badges),
    }),
    bio: t.exposeString('bio', {
      description: 'What the user says of themself, at most 500 characters.',
      ...textOf(bioBounds.max),
    }),
    followerCount: t.exposeInt('followerCount', { description: 'Number of accounts that follow this one.' }),
    followingCount: t.exposeInt('followingCount', { description: 'Number of accounts that this one follows.' }),
    viewerIsFollowing: t.exposeBoolean('viewerIsFollowing', {
      description: 'Whether the viewer follows this account.',
      ...value(reads.viewerIsFollowing),
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'When the account was created.' }),
    posts: t.field({
      type: PostConnection,
      args: numberedPageArgs(t.arg),
      description: 'What the user published without a parent, newest first.',
      ...nested<Connection<PublicationRow>>(postsOfUser),
    }),
    following: t.field({
      type: UserConnection,
      args: numberedPageArgs(t.arg),
      description: 'Accounts that the user follows, newest follow first.',
      ...nested<Connection<UserRow>>(reads.following),
    }),
    followers: t.field({
      type: UserConnection,
      args: numberedPageArgs(t.arg),
      description: 'Accounts that follow the user, newest follow first.',
      ...nested<Connection<UserRow>>(reads.followers),
    }),
  }),
})

const UserBy = builder.inputType('UserBy', {
  description: 'Names a user in exactly one way.',
  isOneOf: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'By identifier.' }),
    username: t.string({ description: 'By handle, without regard to case.' }),
  }),
})

builder.queryFields((t) => ({
  viewer: t.field({
    type: User,
    nullable: true,
    description: 'The owner of the token.',
    ...root<UserRow | null>(reads.viewingUser),
  }),
  user: t.field({
    type: User,
    nullable: true,
    description: 'A user; null when there is none.',
    args: { by: t.arg({ type: UserBy, required: true, description: 'The user to find.' }) },
    ...root<UserRow | null>(reads.userBy(({ by }) => namesIn(by))),
  }),
}))

/** The two names of a `UserBy`; what cannot be a username names nobody. */
function namesIn(by: unknown) {
  const { uuid, username } = Object(by)
  const isName = typeof username === 'string' && isUsername(username)
  return { uuid, username: isName ? username.toLowerCase() : undefined }
}
