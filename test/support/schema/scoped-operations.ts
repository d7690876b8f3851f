import { capitalized, type Relation, relations } from '../../../src/features/base/relations.ts'

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
const bothKinds = [['POST_GET', 'REPLY_GET']]
const account = [['ACCOUNT_MANAGE']]
const notifications = [['NOTIFICATION_GET']]
const follow = [['USER_GET', 'USER_FOLLOW']]
const moderation = [['MODERATION_MANAGE']]

type Operations = Readonly<Record<string, ScopedOperation>>

/** These operations, which all require these scopes. */
const requiring = (sets: ScopedOperation['sets'], sources: Readonly<Record<string, string>>): Operations =>
  Object.fromEntries(Object.entries(sources).map(([coordinate, source]) => [coordinate, { source, sets }]))

const mutation = (name: string, input: string, selection: string) =>
  `mutation { ${name}(input: { ${input} }) ${selection} }`

/** One operation for each field that requires scopes, by coordinate. */
export function scopedOperations({ post, reply, user }: Names): Operations {
  return {
    ...requiring([['USER_GET']], {
      'Query.viewer': '{ viewer { uuid } }',
      'Query.user': `{ user(by: { uuid: "${user}" }) { uuid } }`,
      'Query.users': `{ users(by: [{ uuid: "${user}" }]) { uuid } }`,
      'Query.searchUsers': '{ searchUsers(text: "a") { uuid } }',
      'Query.accountLimits': '{ accountLimits { used } }',
      'Change.actor': '{ changes(of: { public: true }) { nodes { actor { uuid } } } }',
      'Change.actorUuid': '{ changes(of: { public: true }) { nodes { actorUuid } } }',
      'Change.user': '{ changes(of: { public: true }) { nodes { user { uuid } } } }',
      'TimelineItem.repostedBy': '{ home { nodes { repostedBy { uuid } } } }',
      'Notification.actors': '{ viewer { notifications { nodes { actors { uuid } } } } }',
    }),
    ...requiring(eitherKind, {
      'Query.post': `{ post(uuid: "${post}") { uuid } }`,
      'Query.publications': `{ publications(uuids: ["${post}"]) { uuid } }`,
      'Reply.parent': `{ reply(uuid: "${reply}") { parent { uuid } } }`,
    }),
    ...requiring([['REPLY_GET']], {
      'Query.reply': `{ reply(uuid: "${reply}") { uuid } }`,
      'Publication.replies': `{ post(uuid: "${post}") { replies { totalCount } } }`,
      'Post.replies': '{ homeTimeline { nodes { replies { totalCount } } } }',
      'Reply.replies': `{ reply(uuid: "${reply}") { replies { totalCount } } }`,
      'User.replies': '{ viewer { replies { totalCount } } }',
    }),
    ...requiring([['POST_GET']], {
      'Query.homeTimeline': '{ homeTimeline { totalCount } }',
      'Query.publicTimeline': '{ publicTimeline { totalCount } }',
      'User.posts': '{ viewer { posts { totalCount } } }',
    }),
    ...requiring(bothKinds, {
      'Query.searchPublications': '{ searchPublications(text: "hello") { totalCount } }',
      'Query.home': '{ home { totalCount } }',
      'User.timeline': '{ viewer { timeline { totalCount } } }',
      'User.addressed': '{ viewer { addressed { totalCount } } }',
      'Query.changeCursor': '{ changeCursor }',
      'Query.changes': '{ changes(of: { public: true }) { totalCount } }',
      'Subscription.changes': 'subscription { changes(of: { public: true }) { kind } }',
      'Query.hashtag': '{ hashtag(name: "a") { name } }',
      'Hashtag.publications': '{ hashtag(name: "a") { publications { totalCount } } }',
      'Notification.publication': '{ viewer { notifications { nodes { publication { uuid } } } } }',
    }),
    ...requiring(account, {
      'User.appeals': '{ viewer { appeals { totalCount } } }',
      'Mutation.appeal': mutation('appeal', 'text: "Please"', '{ appeal { uuid } }'),
      'Query.accessTokens': '{ accessTokens { totalCount } }',
      'Query.authorizations': '{ authorizations { totalCount } }',
      'Query.applications': '{ applications { totalCount } }',
      'Mutation.createAccessToken': mutation('createAccessToken', 'name: "New", scopes: [POST_GET]', '{ token }'),
      'Mutation.revokeAccessToken': mutation('revokeAccessToken', 'id: "nonsense"', '{ accessToken { id } }'),
      'Mutation.revokeOtherTokens': 'mutation { revokeOtherTokens { revokedCount } }',
      'Mutation.disconnectApplication': mutation('disconnectApplication', `uuid: "${post}"`, '{ revokedCount }'),
      'Mutation.revokeAuthorization': mutation('revokeAuthorization', 'id: "nonsense"', '{ authorization { id } }'),
      'Mutation.updateApplication': mutation(
        'updateApplication',
        `uuid: "${post}", name: "New"`,
        '{ application { uuid } }',
      ),
      'Mutation.deleteApplication': mutation('deleteApplication', `uuid: "${post}"`, '{ application { uuid } }'),
      'Mutation.createApplication': mutation('createApplication', 'name: "New"', '{ application { uuid } }'),
      'Query.invitations': '{ invitations { totalCount } }',
      'Mutation.createInvitation': mutation('createInvitation', 'maxUses: 2', '{ invitation { uuid } }'),
      'Mutation.revokeInvitation': mutation('revokeInvitation', `uuid: "${post}"`, '{ invitation { uuid } }'),
      'Mutation.updateProfile': mutation('updateProfile', 'bio: "New"', '{ viewer { uuid } }'),
      'Mutation.changePassword': mutation(
        'changePassword',
        'currentPassword: "wrong", newPassword: "a good password"',
        '{ viewer { uuid } }',
      ),
      'Mutation.changeEmail': mutation('changeEmail', 'email: "a@b.example", password: "wrong"', '{ viewer { uuid } }'),
      'Query.secondFactor': '{ secondFactor { recoveryCodesLeft } }',
      'Mutation.beginSecondFactor': 'mutation { beginSecondFactor { url } }',
      'Mutation.confirmSecondFactor': mutation(
        'confirmSecondFactor',
        `secret: "${'A'.repeat(32)}", code: "000000", password: "wrong"`,
        '{ recoveryCodes }',
      ),
      'Mutation.removeSecondFactor': mutation('removeSecondFactor', 'password: "wrong"', '{ viewer { uuid } }'),
      'Mutation.renewRecoveryCodes': mutation('renewRecoveryCodes', 'password: "wrong"', '{ recoveryCodes }'),
      'Mutation.deleteAccount': mutation('deleteAccount', 'password: "wrong"', '{ finalAt }'),
    }),
    ...requiring(follow, {
      'User.followRequests': '{ viewer { followRequests { totalCount } } }',
      'User.sentFollowRequests': '{ viewer { sentFollowRequests { totalCount } } }',
      'Mutation.answerFollowRequest': mutation(
        'answerFollowRequest',
        `uuid: "${user}", accepted: false`,
        '{ user { uuid } }',
      ),
      'Mutation.removeFollower': mutation('removeFollower', `uuid: "${user}"`, '{ user { uuid } }'),
    }),
    ...requiring(notifications, {
      'User.notifications': '{ viewer { notifications { totalCount } } }',
      'User.unreadNotificationCount': '{ viewer { unreadNotificationCount } }',
      'Mutation.markNotificationsRead': mutation(
        'markNotificationsRead',
        'upTo: "AZqyxAAAcACAAAAAAAAAkQ"',
        '{ viewer { uuid } }',
      ),
    }),
    ...requiring(publicationSets('SEND', 'POST'), {
      'Mutation.sendPost': mutation('sendPost', 'content: "New"', '{ publication { uuid } }'),
    }),
    ...requiring(publicationSets('EDIT'), {
      'Mutation.updatePost': mutation('updatePost', `uuid: "${post}", locked: true`, '{ publication { uuid } }'),
    }),
    ...requiring([['POST_GET', 'REPLY_GET', 'POST_EDIT', 'REPLY_EDIT']], {
      'Mutation.detachQuote': mutation('detachQuote', `uuid: "${post}"`, '{ publication { uuid } }'),
    }),
    ...requiring(publicationSets('DELETE'), {
      'Mutation.deletePost': mutation('deletePost', `uuid: "${post}"`, '{ publication { uuid } }'),
    }),
    ...requiring([['REPLY_GET', 'REPLY_POST']], {
      'Mutation.sendReply': mutation('sendReply', `parent: "${post}", content: "New"`, '{ reply { uuid } }'),
    }),
    ...requiring([['REPLY_GET', 'REPLY_EDIT']], {
      'Mutation.updateReply': mutation('updateReply', `uuid: "${reply}", locked: true`, '{ reply { uuid } }'),
    }),
    ...requiring([['REPLY_GET', 'REPLY_DELETE']], {
      'Mutation.deleteReply': mutation('deleteReply', `uuid: "${reply}"`, '{ reply { uuid } }'),
    }),
    ...requiring([['REPLY_GET', 'REPLY_LIKE']], {
      'Mutation.toggleReplyLike': mutation('toggleReplyLike', `uuid: "${reply}"`, '{ action }'),
    }),
    ...requiring([['USER_GET', 'POST_GET', 'REPLY_GET']], {
      'Mutation.report': mutation('report', `uuid: "${user}", reason: SPAM`, '{ report { uuid } }'),
    }),
    ...requiring(moderation, {
      'Mutation.suspendUser': mutation('suspendUser', `uuid: "${user}", reason: "Spam"`, '{ user { uuid } }'),
      'Mutation.reinstateUser': mutation('reinstateUser', `uuid: "${user}"`, '{ user { uuid } }'),
      'Mutation.removePublication': mutation(
        'removePublication',
        `uuid: "${post}", reason: "Spam"`,
        '{ publication { uuid } }',
      ),
      'Mutation.addWarning': mutation(
        'addWarning',
        `uuid: "${post}", warning: "Spoilers", reason: "Spam"`,
        '{ publication { uuid } }',
      ),
      'Mutation.closeReport': mutation('closeReport', `uuid: "${post}"`, '{ report { uuid } }'),
      'Mutation.refuseApplication': mutation(
        'refuseApplication',
        'by: { host: "a.example" }, reason: "Spam"',
        '{ changed }',
      ),
      'Mutation.readmitApplication': mutation('readmitApplication', 'by: { host: "a.example" }', '{ changed }'),
      'Mutation.answerAppeal': mutation(
        'answerAppeal',
        `uuid: "${post}", accept: true, answer: "Sorry"`,
        '{ appeal { uuid } }',
      ),
      'Query.appeals': '{ appeals { totalCount } }',
      'Query.reports': '{ reports { totalCount } }',
      'Query.moderationLog': '{ moderationLog { totalCount } }',
      'Query.allInvitations': '{ allInvitations { totalCount } }',
      'User.invitedBy': '{ viewer { invitedBy { uuid } } }',
      'Query.pendingAccounts': '{ pendingAccounts { totalCount } }',
      'Mutation.approveAccount': mutation('approveAccount', `uuid: "${user}"`, '{ user { uuid } }'),
      'Mutation.rejectAccount': mutation('rejectAccount', `uuid: "${user}", reason: "Spam"`, '{ user { uuid } }'),
      'User.suspendedAt': '{ viewer { suspendedAt } }',
    }),
    ...ofThreads({ post, reply, user }),
    ...ofPublicationTypes({ post, reply, user }, bothKinds, 'quotes { totalCount }'),
    ...ofPublicationTypes({ post, reply, user }, eitherKind, 'quoted { uuid }'),
    ...ofRelations({ post, reply, user }),
    ...requiring(moderation, {
      'Appeal.user': mutation('appeal', 'text: "Please"', '{ appeal { user { uuid } } }'),
      'Appeal.answeredBy': mutation('appeal', 'text: "Please"', '{ appeal { answeredBy { uuid } } }'),
    }),
    ...evidence(user, ['username', 'displayName', 'content', 'closedBy { uuid }', 'note']),
  }
}

/** Operations on publications, from a selection of each type that has their fields. */
const ofPublicationTypes = ({ post, reply }: Names, sets: ScopedOperation['sets'], field: string): Operations => {
  const [name = ''] = field.split(' ')
  return requiring(sets, {
    [`Publication.${name}`]: `{ post(uuid: "${post}") { ${field} } }`,
    [`Post.${name}`]: `{ homeTimeline { nodes { ${field} } } }`,
    [`Reply.${name}`]: `{ reply(uuid: "${reply}") { ${field} } }`,
  })
}

/** The fields with the posts and replies of a thread. */
const ofThreads = (names: Names): Operations => ({
  ...ofPublicationTypes(names, bothKinds, 'ancestors { uuid }'),
  ...ofPublicationTypes(names, bothKinds, 'thread { totalCount }'),
})

/** The lists of relations that have scopes of their own. */
const ownScopes: Readonly<Record<string, ScopedOperation['sets']>> = {
  following: [['USER_FOLLOWING_GET']],
  followers: [['USER_FOLLOWERS_GET']],
}

/** The mutations and the lists of relations, which have the scopes of likes, of sending for reposts, and of follows. */
function ofRelations(names: Names): Operations {
  const ofRelation = ({ verb, on, objectType, objects, actors }: Relation): Operations => {
    const [uuid, sets, seen] =
      objectType === 'user'
        ? [names.user, follow, follow]
        : [names.post, verb === 'repost' ? publicationSets('SEND', 'POST') : publicationSets('LIKE'), bothKinds]
    const listOf = (field: string) => `{ viewer { ${field} { totalCount } } }`
    const setsOfActors = actors && (ownScopes[actors.field] ?? [['USER_GET']])
    return {
      ...requiring(sets, {
        [`Mutation.toggle${capitalized(verb)}`]: mutation(
          `toggle${capitalized(verb)}`,
          `uuid: "${uuid}"`,
          '{ action }',
        ),
        [`Mutation.set${capitalized(verb)}`]: mutation(
          `set${capitalized(verb)}`,
          `uuid: "${uuid}", ${on.done}: true`,
          '{ action }',
        ),
      }),
      ...requiring(ownScopes[objects.field] ?? seen, { [`User.${objects.field}`]: listOf(objects.field) }),
      ...(actors &&
        setsOfActors &&
        (objectType === 'user'
          ? requiring(setsOfActors, { [`User.${actors.field}`]: listOf(actors.field) })
          : ofPublicationTypes(names, setsOfActors, `${actors.field} { totalCount }`))),
    }
  }
  return Object.assign({}, ...relations.map(ofRelation))
}

/** The fields of a report that only moderators see. */
function evidence(user: string, fields: readonly string[]): Operations {
  const operations = fields.map((field) => [
    `Report.${field.split(' ')[0]}`,
    `mutation { report(input: { uuid: "${user}", reason: SPAM }) { report { ${field} } } }`,
  ])
  return requiring(moderation, Object.fromEntries(operations))
}
