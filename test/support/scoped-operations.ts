import { blocks, bookmarks, capitalized, type Edge, follows, likes, mutes, wordsOf } from '../../src/domain/edges.ts'

/** An operation with a field that requires scopes. */
export type ScopedOperation = {
  readonly source: string
  /** Alternative sets of scopes, as the interface and its decisions list them. */
  readonly sets: readonly (readonly string[])[]
}

/** The UUIDs used by the operations. */
export type Names = { readonly post: string; readonly reply: string; readonly user: string }

const publicationSets = (verb: string, replyVerb = verb) => [
  ['POST_GET', `POST_${verb}`],
  ['REPLY_GET', `REPLY_${replyVerb}`],
]
const eitherKind = [['POST_GET'], ['REPLY_GET']]
const account = [['ACCOUNT_MANAGE']]
const notifications = [['NOTIFICATION_GET']]
const follow = [['USER_GET', 'USER_FOLLOW']]
const moderation = [['MODERATION_MANAGE']]

/** One operation for each field that requires scopes, by coordinate. */
export function scopedOperations({ post, reply, user }: Names): Readonly<Record<string, ScopedOperation>> {
  const mutation = (name: string, input: string, selection: string) =>
    `mutation { ${name}(input: { ${input} }) ${selection} }`
  const ofEdge = (edge: Edge, uuid: string, sets: ScopedOperation['sets']) => {
    const [verb, { done }] = [capitalized(edge.verb), wordsOf(edge).on]
    return {
      [`Mutation.toggle${verb}`]: { source: mutation(`toggle${verb}`, `uuid: "${uuid}"`, '{ action }'), sets },
      [`Mutation.set${verb}`]: { source: mutation(`set${verb}`, `uuid: "${uuid}", ${done}: true`, '{ action }'), sets },
    }
  }
  return {
    'Query.viewer': { source: '{ viewer { uuid } }', sets: [['USER_GET']] },
    'Query.user': { source: `{ user(by: { uuid: "${user}" }) { uuid } }`, sets: [['USER_GET']] },
    'Query.post': { source: `{ post(uuid: "${post}") { uuid } }`, sets: eitherKind },
    'Query.users': { source: `{ users(by: [{ uuid: "${user}" }]) { uuid } }`, sets: [['USER_GET']] },
    'Query.publications': { source: `{ publications(uuids: ["${post}"]) { uuid } }`, sets: eitherKind },
    'Query.reply': { source: `{ reply(uuid: "${reply}") { uuid } }`, sets: [['REPLY_GET']] },
    'Query.homeTimeline': { source: '{ homeTimeline { totalCount } }', sets: [['POST_GET']] },
    'Query.publicTimeline': { source: '{ publicTimeline { totalCount } }', sets: [['POST_GET']] },
    'Query.searchPublications': {
      source: '{ searchPublications(text: "hello") { totalCount } }',
      sets: [['POST_GET', 'REPLY_GET']],
    },
    'Query.searchUsers': { source: '{ searchUsers(text: "a") { uuid } }', sets: [['USER_GET']] },
    'Query.changeCursor': { source: '{ changeCursor }', sets: [['POST_GET', 'REPLY_GET']] },
    'Query.changes': {
      source: '{ changes(of: { public: true }) { totalCount } }',
      sets: [['POST_GET', 'REPLY_GET']],
    },
    'Subscription.changes': {
      source: 'subscription { changes(of: { public: true }) { kind } }',
      sets: [['POST_GET', 'REPLY_GET']],
    },
    'Change.actor': { source: '{ changes(of: { public: true }) { nodes { actor { uuid } } } }', sets: [['USER_GET']] },
    'Change.actorUuid': { source: '{ changes(of: { public: true }) { nodes { actorUuid } } }', sets: [['USER_GET']] },
    'Change.user': { source: '{ changes(of: { public: true }) { nodes { user { uuid } } } }', sets: [['USER_GET']] },
    'Query.hashtag': { source: '{ hashtag(name: "a") { name } }', sets: [['POST_GET', 'REPLY_GET']] },
    'Hashtag.publications': {
      source: '{ hashtag(name: "a") { publications { totalCount } } }',
      sets: [['POST_GET', 'REPLY_GET']],
    },
    'Query.accessTokens': { source: '{ accessTokens { totalCount } }', sets: account },
    'Query.applications': { source: '{ applications { totalCount } }', sets: account },
    'Publication.replies': { source: `{ post(uuid: "${post}") { replies { totalCount } } }`, sets: [['REPLY_GET']] },
    'Post.replies': { source: '{ homeTimeline { nodes { replies { totalCount } } } }', sets: [['REPLY_GET']] },
    'Reply.replies': { source: `{ reply(uuid: "${reply}") { replies { totalCount } } }`, sets: [['REPLY_GET']] },
    ...ofThreads(post, reply),
    'Publication.likers': { source: `{ post(uuid: "${post}") { likers { totalCount } } }`, sets: [['USER_GET']] },
    'Post.likers': { source: '{ homeTimeline { nodes { likers { totalCount } } } }', sets: [['USER_GET']] },
    'Reply.likers': { source: `{ reply(uuid: "${reply}") { likers { totalCount } } }`, sets: [['USER_GET']] },
    'Reply.parent': { source: `{ reply(uuid: "${reply}") { parent { uuid } } }`, sets: eitherKind },
    'User.posts': { source: '{ viewer { posts { totalCount } } }', sets: [['POST_GET']] },
    'User.replies': { source: '{ viewer { replies { totalCount } } }', sets: [['REPLY_GET']] },
    'User.likes': { source: '{ viewer { likes { totalCount } } }', sets: [['POST_GET', 'REPLY_GET']] },
    'User.bookmarks': { source: '{ viewer { bookmarks { totalCount } } }', sets: [['POST_GET', 'REPLY_GET']] },
    'User.following': { source: '{ viewer { following { totalCount } } }', sets: [['USER_FOLLOWING_GET']] },
    'User.followers': { source: '{ viewer { followers { totalCount } } }', sets: [['USER_FOLLOWERS_GET']] },
    'User.blocks': { source: '{ viewer { blocks { totalCount } } }', sets: account },
    'User.mutes': { source: '{ viewer { mutes { totalCount } } }', sets: account },
    'User.notifications': { source: '{ viewer { notifications { totalCount } } }', sets: notifications },
    'User.unreadNotificationCount': { source: '{ viewer { unreadNotificationCount } }', sets: notifications },
    'Notification.actors': {
      source: '{ viewer { notifications { nodes { actors { uuid } } } } }',
      sets: [['USER_GET']],
    },
    'Notification.publication': {
      source: '{ viewer { notifications { nodes { publication { uuid } } } } }',
      sets: [['POST_GET', 'REPLY_GET']],
    },
    'Mutation.markNotificationsRead': {
      source: mutation('markNotificationsRead', 'upTo: "AZqyxAAAcACAAAAAAAAAkQ"', '{ viewer { uuid } }'),
      sets: notifications,
    },
    'Mutation.createAccessToken': {
      source: mutation('createAccessToken', 'name: "New", scopes: [POST_GET]', '{ token }'),
      sets: account,
    },
    'Mutation.revokeAccessToken': {
      source: mutation('revokeAccessToken', 'id: "nonsense"', '{ accessToken { id } }'),
      sets: account,
    },
    'Mutation.revokeOtherTokens': { source: 'mutation { revokeOtherTokens { revokedCount } }', sets: account },
    'Mutation.createApplication': {
      source: mutation('createApplication', 'name: "New"', '{ application { uuid } }'),
      sets: account,
    },
    'Mutation.updateProfile': { source: mutation('updateProfile', 'bio: "New"', '{ viewer { uuid } }'), sets: account },
    'Mutation.changePassword': {
      source: mutation('changePassword', 'currentPassword: "wrong", newPassword: "12345678"', '{ viewer { uuid } }'),
      sets: account,
    },
    'Mutation.changeEmail': {
      source: mutation('changeEmail', 'email: "a@b.example", password: "wrong"', '{ viewer { uuid } }'),
      sets: account,
    },
    'Mutation.deleteAccount': { source: mutation('deleteAccount', 'password: "wrong"', '{ finalAt }'), sets: account },
    'Mutation.sendPost': {
      source: mutation('sendPost', 'content: "New"', '{ publication { uuid } }'),
      sets: publicationSets('SEND', 'POST'),
    },
    'Mutation.updatePost': {
      source: mutation('updatePost', `uuid: "${post}", locked: true`, '{ publication { uuid } }'),
      sets: publicationSets('EDIT'),
    },
    'Mutation.deletePost': {
      source: mutation('deletePost', `uuid: "${post}"`, '{ publication { uuid } }'),
      sets: publicationSets('DELETE'),
    },
    'Mutation.sendReply': {
      source: mutation('sendReply', `parent: "${post}", content: "New"`, '{ reply { uuid } }'),
      sets: [['REPLY_GET', 'REPLY_POST']],
    },
    'Mutation.updateReply': {
      source: mutation('updateReply', `uuid: "${reply}", locked: true`, '{ reply { uuid } }'),
      sets: [['REPLY_GET', 'REPLY_EDIT']],
    },
    'Mutation.deleteReply': {
      source: mutation('deleteReply', `uuid: "${reply}"`, '{ reply { uuid } }'),
      sets: [['REPLY_GET', 'REPLY_DELETE']],
    },
    ...ofEdge(likes, post, publicationSets('LIKE')),
    ...ofEdge(bookmarks, post, publicationSets('LIKE')),
    ...ofEdge(follows, user, follow),
    ...ofEdge(blocks, user, follow),
    ...ofEdge(mutes, user, follow),
    'Mutation.toggleReplyLike': {
      source: mutation('toggleReplyLike', `uuid: "${reply}"`, '{ action }'),
      sets: [['REPLY_GET', 'REPLY_LIKE']],
    },
    'Mutation.report': {
      source: mutation('report', `uuid: "${user}", reason: SPAM`, '{ report { uuid } }'),
      sets: [['USER_GET', 'POST_GET', 'REPLY_GET']],
    },
    'Mutation.suspendUser': {
      source: mutation('suspendUser', `uuid: "${user}", reason: "Spam"`, '{ user { uuid } }'),
      sets: moderation,
    },
    'Mutation.reinstateUser': {
      source: mutation('reinstateUser', `uuid: "${user}"`, '{ user { uuid } }'),
      sets: moderation,
    },
    'Mutation.removePublication': {
      source: mutation('removePublication', `uuid: "${post}", reason: "Spam"`, '{ publication { uuid } }'),
      sets: moderation,
    },
    'Mutation.closeReport': {
      source: mutation('closeReport', `uuid: "${post}"`, '{ report { uuid } }'),
      sets: moderation,
    },
    'Query.reports': { source: '{ reports { totalCount } }', sets: moderation },
    'Query.moderationLog': { source: '{ moderationLog { totalCount } }', sets: moderation },
    'User.suspendedAt': { source: '{ viewer { suspendedAt } }', sets: moderation },
    ...evidence(user, ['username', 'displayName', 'content', 'closedBy { uuid }', 'note']),
  }
}

/** The fields with the posts and replies of a thread, of each type that has them. */
function ofThreads(post: string, reply: string): Readonly<Record<string, ScopedOperation>> {
  const owners: Readonly<Record<string, (field: string) => string>> = {
    Publication: (field) => `{ post(uuid: "${post}") { ${field} } }`,
    Post: (field) => `{ homeTimeline { nodes { ${field} } } }`,
    Reply: (field) => `{ reply(uuid: "${reply}") { ${field} } }`,
  }
  const operations = Object.entries(owners).flatMap(([type, sourceOf]) =>
    ['ancestors { uuid }', 'thread { totalCount }'].map((field): [string, ScopedOperation] => [
      `${type}.${field.split(' ')[0]}`,
      { source: sourceOf(field), sets: [['POST_GET', 'REPLY_GET']] },
    ]),
  )
  return Object.fromEntries(operations)
}

/** The fields of a report that only moderators see. */
function evidence(user: string, fields: readonly string[]): Readonly<Record<string, ScopedOperation>> {
  const operations = fields.map((field): [string, ScopedOperation] => [
    `Report.${field.split(' ')[0]}`,
    {
      source: `mutation { report(input: { uuid: "${user}", reason: SPAM }) { report { ${field} } } }`,
      sets: moderation,
    },
  ])
  return Object.fromEntries(operations)
}
