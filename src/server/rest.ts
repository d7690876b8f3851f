import { notFound, Refusal } from '../engine/errors.ts'
import { matching, sentUuid } from '../engine/rest/openapi/json.ts'
import type { Definition, Group, Operation, RestInterface } from '../engine/rest/operation.ts'
import { uuidInPath } from '../engine/rest/request-head.ts'
import { encodeGlobalId } from '../engine/schema/scalars.ts'
import { isUuid, uuidPattern } from '../engine/text/uuids.ts'
import { deleteUser, getOwnUser, getUser, updateUser } from '../features/accounts/rest.ts'
import {
  changeEmail,
  changePassword,
  createToken,
  getTokens,
  requestPasswordReset,
  resetPassword,
  revokeOtherTokens,
  revokeToken,
  sampleToken,
  signIn,
  signOut,
  signUp,
  verifyEmail,
} from '../features/accounts/rest-access.ts'
import { sampleApplication, sampleUser } from '../features/accounts/rest-views.ts'
import {
  beginSecondFactor,
  confirmSecondFactor,
  confirmSignIn,
  getSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
} from '../features/accounts/second-factor/rest.ts'
import {
  createApplication,
  deleteApplication,
  disconnectApplication,
  getApplications,
  getAuthorizations,
  revokeAuthorization,
  sampleAuthorization,
  updateApplication,
} from '../features/applications/rest.ts'
import { approveAccount, getPendingAccounts, rejectAccount } from '../features/approval/rest.ts'
import { longestHashtag } from '../features/base/entities.ts'
import { type Relation, relationsTo } from '../features/base/relations.ts'
import { apiVersions, groups } from '../features/base/rest-groups.ts'
import { scopeFacts } from '../features/base/scopes.ts'
import { usernameBounds, usernameKeptDays } from '../features/base/username.ts'
import { getChanges } from '../features/changes/rest.ts'
import {
  answerFollowRequest,
  getFollowRequests,
  getSentFollowRequests,
  removeFollower,
} from '../features/follow-requests/rest.ts'
import {
  createInvitation,
  getAllInvitations,
  getInvitations,
  getInviter,
  revokeInvitation,
  sampleInvitation,
} from '../features/invitations/rest.ts'
import { listLimits } from '../features/limits/rest.ts'
import { answerAppeal, getAppeals, getOwnAppeals, sendAppeal } from '../features/moderation/appeal-rest.ts'
import { longestHost } from '../features/moderation/moderation.ts'
import {
  addWarning,
  closeReport,
  getModerationLog,
  getReports,
  readmitApplication,
  refuseApplication,
  reinstateUser,
  removePost,
  sendReport,
  suspendUser,
} from '../features/moderation/rest.ts'
import { sampleAppeal, sampleReport } from '../features/moderation/rest-views.ts'
import { getNotifications, readNotifications } from '../features/notifications/rest.ts'
import {
  getAddressed,
  getHashtagPosts,
  getPost,
  getPostQuotes,
  getPostReplies,
  getPosts,
  getReply,
  getUserPosts,
  getUserReplies,
} from '../features/posts/rest.ts'
import { sampleHashtag, samplePost } from '../features/posts/rest-views.ts'
import {
  deletePost,
  deleteReply,
  detachQuote,
  sendPost,
  sendReply,
  updatePost,
  updateReply,
} from '../features/posts/rest-writes.ts'
import { actorsLists, objectsList, sets, toggle, toggleReplyLike } from '../features/relations/rest.ts'
import { searchPosts, searchUsers } from '../features/search/rest.ts'
import { getServer } from '../features/server-info/rest.ts'
import { getHome, getPostThread, getPublicTimeline, getUserTimeline } from '../features/timelines/rest.ts'
import { exportEndpoint, getExport } from '../features/transfer/rest.ts'

/** A username in a path. */
const usernameInPath = new RegExp(usernameBounds.pattern.source.replace('^', '^@'))

/** The name of a hashtag in a path, before it is normalized. */
const hashtagFormat = /^[^\s/]+$/
const longestHashtagInPath = 4 * longestHashtag

/** A host, perhaps with a port, before more of it is checked. */
const hostFormat = /^[A-Za-z0-9.:[\]-]+$/

const sourceOf = (format: RegExp) => format.source.replace(/^\^|\$$/g, '')

const malformed = 'A malformed value gets 404.'

/** A parameter with the uuid of an object that mutations take by its global id. */
const byGlobalId = (type: string, what: string, example: string): RestInterface['parameters'][string] => ({
  description: `The uuid of the ${what}. ${malformed}`,
  schema: sentUuid,
  example,
  variables: (uuid, resourceName) => {
    uuidInPath(uuid, resourceName)
    return { id: encodeGlobalId(type, uuid.toLowerCase()) }
  },
})

/** The parameters of the paths: a uuid, that of a report or an appeal, a user as a uuid or `@username`, and the name of a hashtag. */
const pathParameters: RestInterface['parameters'] = {
  uuid: {
    description: `The uuid of the post or reply. ${malformed}`,
    schema: sentUuid,
    example: samplePost.uuid,
    variables: uuidInPath,
  },
  user: {
    description: `The user, as a uuid or \`@username\`. The one before works for ${usernameKeptDays} days after a change. ${malformed}`,
    schema: matching(new RegExp(`^(?:${sourceOf(usernameInPath)}|${sourceOf(uuidPattern)})$`), 36, 2),
    example: `@${sampleUser.username}`,
    variables: (user, resourceName) => {
      if (usernameInPath.test(user)) return { user: { username: user } }
      if (isUuid(user)) return { user: { uuid: user }, uuid: user }
      const name = `@${user}`
      const hint = usernameInPath.test(name) ? ` Did you mean ${name}?` : ''
      throw new Refusal('NOT_FOUND', `There is no such ${resourceName}: its id is malformed.${hint}`)
    },
    find: 'query FindUser($user: UserBy!) { found: user(by: $user) { uuid } }',
  },
  report: {
    description: `The uuid of the report. ${malformed}`,
    schema: sentUuid,
    example: sampleReport.uuid,
    variables: uuidInPath,
  },
  appeal: {
    description: `The uuid of the appeal. ${malformed}`,
    schema: sentUuid,
    example: sampleAppeal.uuid,
    variables: uuidInPath,
  },
  application: {
    description: `The uuid of the application. ${malformed}`,
    schema: sentUuid,
    example: sampleApplication.uuid,
    variables: uuidInPath,
  },
  invitation: {
    description: `The uuid of the invitation. ${malformed}`,
    schema: sentUuid,
    example: sampleInvitation.uuid,
    variables: uuidInPath,
  },
  record: byGlobalId('AccessToken', 'access token', sampleToken.uuid),
  authorization: byGlobalId('Authorization', 'authorization', sampleAuthorization.uuid),
  client: {
    description: `The application as a uuid, or the host of the metadata documents of applications. ${malformed}`,
    schema: matching(hostFormat, longestHost, 1),
    example: 'app.example',
    variables: (client, resourceName) => {
      if (isUuid(client)) return { by: { uuid: client } }
      if (client.length <= longestHost && hostFormat.test(client)) return { by: { host: client } }
      throw notFound(resourceName, 'it is neither a uuid nor a host')
    },
  },
  name: {
    description: `The hashtag without its sign, in any case, percent-encoded. ${malformed}`,
    schema: matching(hashtagFormat, longestHashtagInPath, 1),
    example: sampleHashtag,
    variables: (name) => {
      if (name.length <= longestHashtagInPath && hashtagFormat.test(name)) return { name }
      throw notFound('hashtag', 'its name is malformed')
    },
  },
}

const ofGroup = (group: Group, definitions: readonly Definition[]): Operation[] =>
  definitions.map((it) => ({ ...it, group }))

const ofPublications = relationsTo('publication')

/** What changes a relation. */
const changes = (relation: Relation) => [toggle(relation), ...sets(relation)]

/** All operations of the REST interface, in the order of its sections 4.1 to 4.3; operations that it lacks follow the most similar one. */
const operations: readonly Operation[] = [
  ...ofGroup(groups.posts, [
    ...[getPost, getPosts, getHome, getPublicTimeline, searchPosts, getPostReplies, getPostThread, getPostQuotes],
    ...ofPublications.flatMap(actorsLists),
    ...[sendPost, updatePost, deletePost, detachQuote, ...ofPublications.flatMap(changes)],
  ]),
  ...ofGroup(groups.users, [
    ...[
      getOwnUser,
      getUser,
      searchUsers,
      getUserPosts,
      getUserReplies,
      getUserTimeline,
      getAddressed,
      ...ofPublications.map(objectsList),
    ],
    ...[updateUser, deleteUser],
    ...relationsTo('user').flatMap((relation) => [
      ...changes(relation),
      objectsList(relation),
      ...actorsLists(relation),
    ]),
    ...[getFollowRequests, getSentFollowRequests, answerFollowRequest, removeFollower],
  ]),
  ...ofGroup(groups.accounts, [
    ...[signUp, signIn, confirmSignIn, signOut, revokeOtherTokens],
    ...[getSecondFactor, beginSecondFactor, confirmSecondFactor, removeSecondFactor, renewRecoveryCodes],
    ...[changePassword, requestPasswordReset, resetPassword, changeEmail, verifyEmail],
  ]),
  ...ofGroup(groups.tokens, [getTokens, createToken, revokeToken]),
  ...ofGroup(groups.applications, [
    ...[getApplications, createApplication, updateApplication, deleteApplication, disconnectApplication],
  ]),
  ...ofGroup(groups.invitations, [getInvitations, createInvitation, revokeInvitation]),
  ...ofGroup(groups.authorizations, [getAuthorizations, revokeAuthorization]),
  ...ofGroup(groups.hashtags, [getHashtagPosts]),
  ...ofGroup(groups.changes, [getChanges]),
  ...ofGroup(groups.notifications, [getNotifications, readNotifications]),
  ...ofGroup(groups.reports, [sendReport, getReports, closeReport]),
  ...ofGroup(groups.appeals, [sendAppeal, getOwnAppeals, getAppeals, answerAppeal]),
  ...ofGroup(groups.moderation, [
    ...[suspendUser, reinstateUser, removePost, addWarning, refuseApplication, readmitApplication],
    ...[getPendingAccounts, approveAccount, rejectAccount],
    ...[getAllInvitations, getInviter, getModerationLog],
  ]),
  ...ofGroup(groups.server, [getServer, listLimits]),
  ...ofGroup(groups.replies, [getReply, sendReply, updateReply, deleteReply, toggleReplyLike]),
]

/** The documented REST interface, with what Rookery adds to it. */
export const rest: RestInterface = {
  version: apiVersions.posts,
  scopes: scopeFacts,
  title: 'Rookery',
  summary: 'The REST interface of a social network that is used only through its API.',
  description: [
    'Users publish short posts, reply, like and follow. Requests act on behalf of the owner of a ' +
      'bearer token, the viewer, but for those to sign up and in, and those with the tokens ' +
      'of links in e-mails. Posts and replies together are publications.',
    'Errors are problem documents (RFC 9457). Their `code` is from a closed list.',
    'Every GET operation also supports HEAD, and every path supports OPTIONS without a token. Other ' +
      'methods are refused with 405 and the code `METHOD_NOT_ALLOWED`; `Allow` lists the supported ones, ' +
      'and for OPTIONS `Accept-Patch` and `Accept-Post` the media types of bodies. A merge patch (RFC ' +
      '7396) sets nothing to null: null counts as absent. A trailing slash, unknown query parameters and ' +
      'unknown body fields are ignored.',
    'A list also works without a page in its path: then `page` in the query has the number, or `after` the cursor of a `next` link.',
    'Errors are checked in this order: 400 for the query string, 401, 404 for the path, 405, 415, 413 or ' +
      '400, 403 for the scope, 422, 404 for the resource, 403 for the author, 403 for a locked parent, ' +
      '412, 409.',
    `The post and user endpoints follow version ${apiVersions.posts} of the interface, and the reply ` +
      `endpoints version ${apiVersions.replies}, as \`API-Version\` says. \`/graphql\` serves the same ` +
      'network, with nested queries.',
  ].join('\n\n'),
  parameters: pathParameters,
  operations,
  streams: [{ definition: getExport, endpoint: (services) => exportEndpoint(getExport, services) }],
}
