import { longText } from '../../engine/compiler/cost.ts'
import { globalId, version } from '../../engine/compiler/field-reads.ts'
import type { TextForm } from '../../engine/text/text-form.ts'
import { uuidForm } from '../../engine/text/uuids.ts'
import { bioBounds, nameBounds, versionForm } from '../base/bounds.ts'
import { builder } from '../base/builder.ts'
import { formed, stored, withForm } from '../base/input-rules.ts'
import { lookupList, maxLookups } from '../base/lookup-list.ts'
import { pageOf } from '../base/pages.ts'
import { readUser } from '../base/permissions.ts'
import { usernameBounds, usernameKeptDays } from '../base/username.ts'
import * as reads from './reads.ts'

/** How usernames are compared, for descriptions. */
export const caseOfUsernames = 'Unique, ignoring case.'

const avatarForm: TextForm = {
  min: 0,
  max: 120,
  pattern: /^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?d=identicon$/,
  format: 'uri',
  words: 'a URL of Gravatar',
}

const Badge = builder.prismaObject('Badge', {
  description: 'A badge of a user.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The uuid of the badge.', ...withForm(uuidForm) }),
    name: t.exposeString('name', formed('The name of the badge', stored({ min: 1, max: 100 }))),
  }),
})

/** An account. Other features add fields to it. */
export const User = builder.prismaObject('User', {
  description: 'An account, with its profile.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: readUser },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    uuid: t.expose('id', { type: 'UUID', description: 'The uuid, the same in GraphQL and REST.' }),
    username: t.exposeString('username', formed('The username', usernameBounds, caseOfUsernames)),
    displayName: t.exposeString('displayName', formed('The display name', stored(nameBounds))),
    avatar: t.field({
      type: 'URL',
      description:
        'The URL of an image: the Gravatar of the e-mail address, or a generated image. Some servers always generate it.',
      ...withForm(avatarForm),
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
    bio: t.exposeString('bio', { ...formed('The biography', stored(bioBounds)), cost: longText }),
    isPrivate: t.boolean({
      description:
        'Whether the account is private: it accepts who follows it, and only its followers see its lists and what ' +
        'it publishes, besides those whom it answers or addresses.',
      read: reads.isPrivate,
    }),
    language: t.expose('language', {
      type: 'LanguageTag',
      nullable: true,
      description: 'The language of what the account sends, if that does not say another; null if unknown.',
    }),
    readingLanguages: t.field({
      type: ['LanguageTag'],
      nullable: true,
      description:
        'The languages that the viewer reads, so that all their clients can pass them as `languages`; null for anybody else.',
      read: reads.readingLanguages,
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
        'An opaque version that changes with everything that everybody sees of the account itself, counters ' +
        'included. Compare versions for equality only.',
      ...withForm(versionForm),
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
      description: `The username, in any case, with or without \`@\`. The one before works for ${usernameKeptDays} days after a change.`,
    }),
  }),
})

builder.queryFields((t) => ({
  viewer: t.field({
    type: User,
    nullable: true,
    permission: readUser,
    staysOpenTo: ['suspended'],
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
