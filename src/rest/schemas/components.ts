import { bioBounds, displayNameBounds } from '../../domain/accounts.ts'
import { nameBounds } from '../../domain/applications.ts'
import { contentBounds } from '../../domain/publications.ts'
import { largestLimit } from '../pages.ts'
import { changedReply, postObject, userObject, type userObjects } from '../shapes.ts'
import {
  count,
  flag,
  listOf,
  type ObjectSchema,
  objectOf,
  orNull,
  ref,
  type Schema,
  text,
  time,
  uuid,
} from './json-schema.ts'
import { samplePost, sampleReply, sampleUser, sampleViewer } from './samples.ts'

/** A schema of the OpenAPI document's components. */
export type Component = {
  readonly name: string
  readonly schema: ObjectSchema
  /** The GraphQL type that it stands for. */
  readonly graphqlType?: string
}

/** The schema of a response body, with an example. */
export type ResponseComponent<Body> = Component & { readonly example: Body }

/** A reference to a component. */
export const refTo = ({ name }: Component): Schema => ref('schemas', name)

/** One page of a list. */
export const pageOf = (component: Component, description: string): Schema =>
  listOf(refTo(component), largestLimit, description)

type Post = ReturnType<typeof postObject>
type Parent = NonNullable<Post['parent']>
type User = ReturnType<typeof userObjects>[number]

const badge: Component = {
  name: 'Badge',
  graphqlType: 'Badge',
  schema: objectOf<User['badge'][number]>('A badge of a user.', {
    id: uuid('The id of the badge.'),
    name: text({ min: 1, max: 100 }, 'The name.'),
  }),
}

const application: Component = {
  name: 'Application',
  graphqlType: 'Application',
  schema: objectOf<NonNullable<Post['from']>>('An application that tokens are issued to.', {
    uuid: uuid('The uuid of the application.'),
    name: text(nameBounds, 'The name.'),
    website: orNull({
      type: 'string',
      pattern: '^https?://\\S+$',
      maxLength: 2000,
      description: 'The http or https URL of its website, or null.',
    }),
  }),
}

const person = {
  uuid: uuid('The uuid of the user.'),
  username: {
    type: 'string',
    pattern: '^[A-Za-z0-9_]{1,30}$',
    minLength: 1,
    maxLength: 30,
    description: 'The handle, usable in paths as `@{username}`. Unique regardless of case.',
  },
  display_name: text(displayNameBounds, 'The display name.'),
  avatar: {
    type: 'string',
    format: 'uri',
    pattern: '^https://www\\.gravatar\\.com/avatar/[0-9a-f]{64}\\?d=identicon$',
    maxLength: 120,
    description: 'The URL of a Gravatar image, derived from the e-mail address or the uuid, depending on the server.',
  },
} as const

const profile = {
  badge: listOf(refTo(badge), 100, 'The badges of the user.'),
  bio: text(bioBounds, 'The biography of the user. May be empty.'),
} as const

const following_count = count('The number of accounts that the user follows.')
const joined = time('The creation time of the account, in Unix seconds.')

const author: Component = {
  name: 'Author',
  graphqlType: 'User',
  schema: objectOf<Post['author']>('The author in a post object, with `follower_count` instead of `follow_count`.', {
    ...person,
    ...profile,
    follower_count: count('The number of followers. Called `follow_count` in a user object.'),
    following_count,
    joined,
  }),
}

const restOfUser = {
  ...profile,
  follow_count: count('The number of followers. Called `follower_count` in the author of a post.'),
  following_count,
  has_followed: flag('Whether the owner of the token follows this user.'),
  joined,
} as const

/** Any user but the owner of the token. */
export const user: ResponseComponent<User> = {
  name: 'User',
  graphqlType: 'User',
  schema: objectOf<User>('A user other than the owner of the token, without `email` and `email_verified`.', {
    ...person,
    ...restOfUser,
  }),
  example: userObject(sampleUser, sampleViewer.uuid),
}

/** The owner of the token. */
export const ownUser: ResponseComponent<ReturnType<typeof userObject>> = {
  name: 'OwnUser',
  graphqlType: 'User',
  schema: objectOf<ReturnType<typeof userObject>>('The owner of the token.', {
    ...person,
    email: orNull({
      type: 'string',
      pattern: '^[\\x21-\\x7e]+@[A-Za-z0-9.-]+$',
      minLength: 3,
      maxLength: 254,
      description: 'The e-mail address, in the format of the HTML Standard. Null without the scope `user.email`.',
    }),
    email_verified: orNull(flag('Whether the e-mail address is verified. Null without the scope `user.email`.')),
    ...restOfUser,
  }),
  example: userObject(sampleViewer, sampleViewer.uuid),
}

/** The text of a post or reply. */
export const content = text(contentBounds, 'The text as it was sent. Its length counts in Unicode code points.')

const publicationUuid = uuid('The uuid of the post or reply.')

const parent: Component = {
  name: 'Parent',
  graphqlType: 'Reply',
  schema: objectOf<Parent>('The parent of a reply, without its own parent.', {
    uuid: publicationUuid,
    author: refTo(author),
    content,
    created_at: time('The creation time, in Unix seconds.'),
    deleted: { type: 'boolean', const: false, description: 'Whether the parent was deleted.' },
  }),
}

const nothing = (description: string): Schema => ({ type: 'null', description })

const deletedParent: Component = {
  name: 'DeletedParent',
  schema: objectOf<Parent>('The parent of a reply, after it was deleted.', {
    uuid: publicationUuid,
    author: nothing('Null, since the author of a deleted parent is not disclosed.'),
    content: nothing('Null, since the deletion erased the text.'),
    created_at: nothing('Null, since the creation time of a deleted parent is not disclosed.'),
    deleted: { type: 'boolean', const: true, description: 'Whether the parent was deleted.' },
  }),
}

/** A post or a reply. */
export const post: ResponseComponent<Post> = {
  name: 'Post',
  graphqlType: 'Reply',
  schema: objectOf<Post>('A post or a reply.', {
    uuid: publicationUuid,
    parent: {
      description: 'The parent of a reply. Null for a post.',
      anyOf: [refTo(parent), refTo(deletedParent), { type: 'null' }],
    },
    author: refTo(author),
    content,
    from: {
      description: 'The application that sent it, or null.',
      anyOf: [refTo(application), { type: 'null' }],
    },
    locked: flag('Whether only the author may reply to it. Called `lock` in a reply object.'),
    reply_count: count('The number of replies.'),
    like_count: count('The number of likes.'),
    has_liked: flag('Whether the owner of the token likes it.'),
    created_at: time('The creation time, in Unix seconds.'),
  }),
  example: postObject(samplePost),
}

/** A reply that was updated or deleted. */
export const changedReplyComponent: ResponseComponent<ReturnType<typeof changedReply>> = {
  name: 'ChangedReply',
  schema: objectOf<ReturnType<typeof changedReply>>('A reply that was updated or deleted.', {
    uuid: uuid('The uuid of the reply.'),
    reply: refTo(post),
  }),
  example: changedReply(sampleReply),
}

/** The components that several operations share, or that are inside of those. */
export const sharedComponents: readonly Component[] = [
  badge,
  application,
  author,
  user,
  ownUser,
  parent,
  deletedParent,
  post,
]
