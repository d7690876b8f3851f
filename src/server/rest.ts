import type { RestInterface } from '../engine/rest/interface.ts'
import type { Definition, Group, Operation } from '../engine/rest/operation.ts'
import { getOwnUser, getUser } from '../features/accounts/rest.ts'
import { deleteUser, updateUser } from '../features/accounts/rest-writes.ts'
import { follows, type Relation, relationsTo } from '../features/base/relations.ts'
import { apiVersions, groups } from '../features/base/rest-groups.ts'
import { scopeSentences } from '../features/base/scopes.ts'
import { getChanges } from '../features/changes/rest.ts'
import { closeReport, getReports, sendReport } from '../features/moderation/report-rest.ts'
import { getModerationLog, reinstateUser, removePost, suspendUser } from '../features/moderation/rest.ts'
import { getNotifications, readNotifications } from '../features/notifications/rest.ts'
import {
  getHashtagPosts,
  getPost,
  getPostLikes,
  getPostReplies,
  getPosts,
  getReply,
  getUserPosts,
  getUserReplies,
} from '../features/posts/rest.ts'
import { deletePost, deleteReply } from '../features/posts/rest-delete.ts'
import { sendPost, sendReply } from '../features/posts/rest-send.ts'
import { updatePost, updateReply } from '../features/posts/rest-update.ts'
import { getFollowers, getFollowing, ownList, toggle, toggleReplyLike } from '../features/relations/rest.ts'
import { searchPosts, searchUsers } from '../features/search/rest.ts'
import { getPostThread } from '../features/timelines/rest.ts'
import { exportEndpoint } from '../features/transfer/export-endpoint.ts'
import { getExport } from '../features/transfer/rest.ts'
import { pathParameters } from './path-parameters.ts'

const ofGroup = (group: Group, definitions: readonly Definition[]): Operation[] =>
  definitions.map((it) => ({ ...it, group }))

const ofPublications = relationsTo('publication')

/** The lists of accounts that a relation has: only those of follows are public. */
const listsOf = (relation: Relation) => (relation === follows ? [getFollowing, getFollowers] : [ownList(relation)])

/** All operations of the REST interface, in the order of its sections 4.1 to 4.3; operations that it lacks follow the most similar one. */
const operations: readonly Operation[] = [
  ...ofGroup(groups.posts, [
    ...[getPost, getPosts, searchPosts, getPostReplies, getPostThread, getPostLikes],
    ...[sendPost, updatePost, deletePost, ...ofPublications.map(toggle)],
  ]),
  ...ofGroup(groups.users, [
    ...[getOwnUser, getUser, searchUsers, getUserPosts, getUserReplies, ...ofPublications.map(ownList)],
    ...[updateUser, deleteUser],
    ...relationsTo('user').flatMap((relation) => [toggle(relation), ...listsOf(relation)]),
  ]),
  ...ofGroup(groups.hashtags, [getHashtagPosts]),
  ...ofGroup(groups.changes, [getChanges]),
  ...ofGroup(groups.notifications, [getNotifications, readNotifications]),
  ...ofGroup(groups.reports, [sendReport, getReports, closeReport]),
  ...ofGroup(groups.moderation, [suspendUser, reinstateUser, removePost, getModerationLog]),
  ...ofGroup(groups.replies, [getReply, sendReply, updateReply, deleteReply, toggleReplyLike]),
]

/** The documented REST interface, with what Rookery adds to it. */
export const rest: RestInterface = {
  version: apiVersions.posts,
  scopes: scopeSentences,
  title: 'Rookery',
  summary: 'The REST interface of a social network that is used only through its API.',
  description: [
    'Users publish short posts, reply, like and follow. Every request acts on behalf of the owner of a bearer token, the viewer. Posts and replies together are publications.',
    'Errors are problem documents (RFC 9457). Their `code` is from a closed list.',
    'Every GET operation also supports HEAD, and every path supports OPTIONS without a token. Other methods are refused with 405 and the code `METHOD_NOT_ALLOWED`; `Allow` lists the supported ones, and for OPTIONS `Accept-Patch` and `Accept-Post` the media types of bodies. A merge patch (RFC 7396) sets nothing to null: null counts as absent. A trailing slash, unknown query parameters and unknown body fields are ignored.',
    'A list also works without a page in its path: then `page` in the query has the number, or `after` the cursor of a `next` link.',
    'Errors are checked in this order: 400 for the query string, 401, 404 for the path, 405, 415, 413 or 400, 403 for the scope, 422, 404 for the resource, 403 for the author, 403 for a locked parent, 412, 409.',
    `The post and user endpoints follow version ${apiVersions.posts} of the interface, and the reply endpoints version ${apiVersions.replies}, as \`API-Version\` says. \`/graphql\` serves the same network, with more features.`,
  ].join('\n\n'),
  parameters: pathParameters,
  operations,
  streams: [{ definition: getExport, endpoint: (services) => exportEndpoint(getExport, services) }],
}
