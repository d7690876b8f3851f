import { bioBounds, displayNameBounds } from '../../domain/accounts.ts'
import { nameBounds } from '../../domain/applications.ts'
import { contentBounds } from '../../domain/publications.ts'
import { largestLimit } from '../pages.ts'
import type { changedReply, postObject, replyObject, sentReply, toggled, userObject, userObjects } from '../shapes.ts'
import {
  count,
  flag,
  listOf,
  type ObjectSchema,
  objectOf,
  oneOfWords,
  orNull,
  ref,
  type Schema,
  text,
  time,
  uuid,
} from './json-schema.ts'

/** What an operation can answer with. */
export type AnswerName =
  | 'Post'
  | 'PostReplies'
  | 'LikeToggle'
  | 'OwnUser'
  | 'User'
  | 'UserPosts'
  | 'FollowToggle'
  | 'Following'
  | 'Followers'
  | 'Reply'
  | 'SentReply'
  | 'ChangedReply'
  | 'LikeMessage'

type ResourceName = AnswerName | 'Badge' | 'Application' | 'Author' | 'Parent' | 'DeletedParent'

/** A reference to what an operation answers, or to what is inside of it. */
export const resourceRef = (name: ResourceName): Schema => ref('schemas', name)

type Post = ReturnType<typeof postObject>
type Parent = NonNullable<Post['parent']>
type User = ReturnType<typeof userObjects>[number]

const person = {
  uuid: uuid('Who it is.'),
  username: {
    type: 'string',
    pattern: '^[A-Za-z0-9_]{1,30}$',
    minLength: 1,
    maxLength: 30,
    description: 'The handle, usable in paths as `@{username}`; unique without regard to case.',
  },
  display_name: text(displayNameBounds, 'The name that is shown.'),
  avatar: {
    type: 'string',
    format: 'uri',
    pattern: '^https://www\\.gravatar\\.com/avatar/[0-9a-f]{64}\\?d=identicon$',
    maxLength: 120,
    description: 'A picture at Gravatar, by the e-mail address or by the uuid, as the server is set.',
  },
} as const

const badge = listOf(resourceRef('Badge'), 100, 'Marks of distinction; empty when there are none.')
const bio = text(bioBounds, 'What the user says of themself; may be empty.')
const followingCount = count('How many accounts the user follows.')
const joined = time('When the account was created, in Unix seconds.')

const restOfUser = {
  badge,
  bio,
  follow_count: count('How many accounts follow the user; `follower_count` where the user is the author in a post.'),
  following_count: followingCount,
  has_followed: flag('Whether the owner of the token follows this user.'),
  joined,
} as const

const posts = (description: string, maxItems: number = largestLimit) =>
  listOf(resourceRef('Post'), maxItems, description)

const publication = {
  uuid: uuid('Which post or reply it is.'),
  content: text(contentBounds, 'What it says, as it was sent, counted in Unicode code points.'),
} as const

const nothing = (description: string): Schema => ({ type: 'null', description })

/** What the operations answer, by name: the objects of the interface's sections 2.1 to 2.3, and what is inside of them. */
export const resourceSchemas: Readonly<Record<ResourceName, ObjectSchema>> = {
  Badge: objectOf<User['badge'][number]>('A mark of distinction.', {
    id: uuid('Which badge it is.'),
    name: text({ min: 1, max: 100 }, 'What it is called.'),
  }),
  Application: objectOf<NonNullable<Post['from']>>('The application that a token was issued to.', {
    uuid: uuid('Which application it is.'),
    name: text(nameBounds, 'What it is called.'),
    website: orNull({
      type: 'string',
      pattern: '^https?://\\S+$',
      maxLength: 2000,
      description: 'Its web address, http or https; null when it has none.',
    }),
  }),
  Author: objectOf<Post['author']>('The user inside a post: the counter is `follower_count` here.', {
    ...person,
    badge,
    bio,
    follower_count: count('How many accounts follow the user; `follow_count` in a user object.'),
    following_count: followingCount,
    joined,
  }),
  User: objectOf<User>('A user other than the owner of the token: without `email` and `email_verified`.', {
    ...person,
    ...restOfUser,
  }),
  OwnUser: objectOf<ReturnType<typeof userObject>>('The owner of the token.', {
    ...person,
    email: orNull({
      type: 'string',
      pattern: '^[\\x21-\\x7e]+@[A-Za-z0-9.-]+$',
      minLength: 3,
      maxLength: 254,
      description: 'The e-mail address, in the form of HTML; null when the token lacks the scope `user.email`.',
    }),
    email_verified: orNull(flag('Whether it was verified; null when the token lacks the scope `user.email`.')),
    ...restOfUser,
  }),
  Parent: objectOf<Parent>('What a reply replies to; one level only.', {
    uuid: publication.uuid,
    author: resourceRef('Author'),
    content: publication.content,
    created_at: time('When it was sent, in Unix seconds.'),
    deleted: { type: 'boolean', const: false, description: 'False: it is still there.' },
  }),
  DeletedParent: objectOf<Parent>('What a reply replied to, and was deleted since.', {
    uuid: publication.uuid,
    author: nothing('Null, since who wrote what was deleted is not told.'),
    content: nothing('Null, since the deletion erased it.'),
    created_at: nothing('Null, since when it was sent is not told either.'),
    deleted: { type: 'boolean', const: true, description: 'True: it was deleted.' },
  }),
  Post: objectOf<Post>('A post or a reply.', {
    uuid: publication.uuid,
    parent: {
      description: 'What it replies to; null when it is no reply.',
      anyOf: [resourceRef('Parent'), resourceRef('DeletedParent'), { type: 'null' }],
    },
    author: resourceRef('Author'),
    content: publication.content,
    from: {
      description: 'The application that it was sent from; null when there is none.',
      anyOf: [resourceRef('Application'), { type: 'null' }],
    },
    locked: flag('Whether its author alone may reply to it; `lock` in a reply object.'),
    reply_count: count('How many replies it has.'),
    like_count: count('How many users like it.'),
    has_liked: flag('Whether the owner of the token likes it.'),
    created_at: time('When it was sent, in Unix seconds.'),
  }),
  PostReplies: objectOf<{ post: Post; replies: Post[] }>('A post and one page of its replies.', {
    post: resourceRef('Post'),
    replies: posts('Oldest first.'),
  }),
  UserPosts: objectOf<{ user: string; posts: Post[] }>("One page of a user's posts.", {
    user: uuid('Whose posts they are.'),
    posts: posts('Newest first, without replies.'),
  }),
  Following: objectOf<{ following: User[] }>('One page of the accounts that a user follows.', {
    following: listOf(resourceRef('User'), largestLimit, 'Newest follow first.'),
  }),
  Followers: objectOf<{ followers: User[] }>('One page of the accounts that follow a user.', {
    followers: listOf(resourceRef('User'), largestLimit, 'Newest follow first.'),
  }),
  LikeToggle: objectOf<ReturnType<typeof toggled>>('Which way a like was flipped.', {
    action: oneOfWords(['liked', 'unliked'], 'What was done.'),
    uuid: uuid('Which post or reply it was done to.'),
  }),
  FollowToggle: objectOf<ReturnType<typeof toggled>>('Which way a follow was flipped.', {
    action: oneOfWords(['followed', 'unfollowed'], 'What was done.'),
    uuid: uuid('Which user it was done to.'),
  }),
  Reply: objectOf<ReturnType<typeof replyObject>>(
    'A reply as the reply endpoints have it: what is around it are uuids.',
    {
      uuid: uuid('Which reply it is.'),
      parent: uuid('What it replies to, whether that was deleted or not.'),
      author: uuid('Who wrote it.'),
      content: publication.content,
      from: orNull(uuid('The application that it was sent from; null when there is none.')),
      lock: flag('Whether its author alone may reply to it; `locked` in a post object.'),
      replies: posts('The first page of its replies, oldest first.', 5),
    },
  ),
  SentReply: objectOf<ReturnType<typeof sentReply>>('A reply that was sent.', {
    uuid: uuid('Which reply it is.'),
    parent: uuid('What it replies to.'),
    reply: resourceRef('Post'),
  }),
  ChangedReply: objectOf<ReturnType<typeof changedReply>>('A reply that was changed or deleted.', {
    uuid: uuid('Which reply it is.'),
    reply: resourceRef('Post'),
  }),
  LikeMessage: objectOf<{ _message: string }>('Which way a like was flipped.', {
    _message: oneOfWords(['liked', 'unliked'], 'What was done.'),
  }),
}
