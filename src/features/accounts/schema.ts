import { longText } from '../../engine/compiler/cost.ts'
import { globalId, version } from '../../engine/compiler/field-reads.ts'
import { lookupList, maxLookups } from '../../engine/compiler/lookup-list.ts'
import { builder } from '../base/builder.ts'
import { pageOf } from '../base/pages.ts'
import { readUser } from '../base/permissions.ts'
import { usernameBounds, usernameCharacters, usernameKeptDays } from '../base/username.ts'
import * as reads from './reads.ts'

/** The description of a username. */
export const usernameDescription = `The username: ${usernameBounds.min} to ${usernameBounds.max} of ${usernameCharacters}. Unique, ignoring case.`

const Badge = builder.prismaObject('Badge', {
  description: 'A badge of a user.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The uuid of the badge.' }),
    name: t.exposeString('name', { description: 'The name of the badge.' }),
  }),
})

/** An account. Its posts and likes are in `publication.ts`. */
export const User = builder.prismaObject('User', {
  description: 'An account, with its profile.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: readUser },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    username: t.exposeString('username', { description: usernameDescription }),
    displayName: t.exposeString('displayName', {
      description: 'The display name: 1 to 50 characters.',
    }),
    avatar: t.field({
      type: 'URL',
      description:
        'The URL of an image: the Gravatar of the e-mail address, or a generated image. Some servers always generate it.',
      read: reads.avatar,
    }),
    email: t.field({
      type: 'EmailAddress',
      nullable: true,
      description: 'The e-mail address of the viewer, if the token has the scope `user.email`; null for anybody else.',
      read: reads.email,
    }),
    emailVerified: t.boolean({
      nullable: true,
      description:
        "Whether the viewer's e-mail address is verified, if the token has the scope `user.email`; null for anybody else.",
      read: reads.emailVerified,
    }),
    badges: t.field({ type: [Badge], description: 'The badges of the user, ordered by name.', read: reads.badges }),
    bio: t.exposeString('bio', { description: 'The biography: at most 500 characters.', cost: longText }),
    followerCount: t.exposeInt('followerCount', {
      description: 'The number of accounts that follow this account, the same for everybody.',
    }),
    followingCount: t.exposeInt('followingCount', {
      description: 'The number of accounts that this account follows, the same for everybody.',
    }),
    joinedAt: t.expose('joinedAt', { type: 'DateTime', description: 'When the account was created.' }),
    editedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        "When the viewer's profile or e-mail address last changed; null if never, and for anybody else. Pass it as `ifUnchangedSince`.",
      read: reads.editedAt,
    }),
    version: t.string({
      description:
        'An opaque version that changes with all that everybody sees of the account itself, counters included. Compare versions for equality only.',
      read: version,
    }),
  }),
})

/** Pages of users. */
export const UserConnection = pageOf(User, 'User', 'users')

/** One account, by its uuid or its username. */
export const UserBy = builder.inputType('UserBy', {
  description: 'Identifies a user by exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', description: 'The uuid of the user.' }),
    username: t.string({
      description: `The username, in any case, with or without \`@\`. A former username works for ${usernameKeptDays} days.`,
    }),
  }),
})

builder.queryFields((t) => ({
  viewer: t.field({
    type: User,
    nullable: true,
    permission: readUser,
    description: 'The viewer: the account that the token belongs to.',
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
    description: `Finds at most ${maxLookups} users, in the order of the argument; null for each that does not exist.`,
    args: { by: t.arg({ type: [UserBy], required: true, description: 'The users to find.' }) },
    read: reads.usersBy(({ by }) => lookupList('by', by).map(reads.namesIn)),
  }),
}))
