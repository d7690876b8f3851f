import { follows, type Relation, relationsTo } from '../domain/relations.ts'
import type { Definition, Operation } from './operation.ts'
import { deleteUser, updateUser } from './operations/account.ts'
import { getChanges } from './operations/changes.ts'
import { deletePost, deleteReply } from './operations/delete.ts'
import { getExport } from './operations/export.ts'
import { getModerationLog, reinstateUser, removePost, suspendUser } from './operations/moderation.ts'
import { getNotifications, readNotifications } from './operations/notifications.ts'
import { getHashtagPosts, getPost, getPostLikes, getPostReplies, getPosts, getReply } from './operations/read-posts.ts'
import {
  getFollowers,
  getFollowing,
  getOwnUser,
  getUser,
  getUserPosts,
  getUserReplies,
} from './operations/read-users.ts'
import { ownList, toggle, toggleReplyLike } from './operations/relations.ts'
import { closeReport, getReports, sendReport } from './operations/reports.ts'
import { searchPosts, searchUsers } from './operations/search.ts'
import { sendPost, sendReply } from './operations/send.ts'
import { getPostThread } from './operations/thread.ts'
import { updatePost, updateReply } from './operations/update.ts'

const ofGroup = (tag: Operation['tag'], definitions: readonly Definition[]): Operation[] =>
  definitions.map((it) => ({ ...it, tag }))

const ofPublications = relationsTo('publication')

/** The lists of accounts that a relation has: only those of follows are public. */
const listsOf = (relation: Relation) => (relation === follows ? [getFollowing, getFollowers] : [ownList(relation)])

/** All operations of the REST interface, in the order of its sections 4.1 to 4.3; operations that it lacks follow the most similar one. */
export const operations: readonly Operation[] = [
  ...ofGroup('Posts', [
    ...[getPost, getPosts, searchPosts, getPostReplies, getPostThread, getPostLikes],
    ...[sendPost, updatePost, deletePost, ...ofPublications.map(toggle)],
  ]),
  ...ofGroup('Users', [
    ...[getOwnUser, getUser, searchUsers, getUserPosts, getUserReplies, ...ofPublications.map(ownList)],
    ...[updateUser, deleteUser],
    ...relationsTo('user').flatMap((relation) => [toggle(relation), ...listsOf(relation)]),
  ]),
  ...ofGroup('Hashtags', [getHashtagPosts]),
  ...ofGroup('Changes', [getChanges]),
  ...ofGroup('Notifications', [getNotifications, readNotifications]),
  ...ofGroup('Reports', [sendReport, getReports, closeReport]),
  ...ofGroup('Moderation', [suspendUser, reinstateUser, removePost, getModerationLog]),
  ...ofGroup('Replies', [getReply, sendReply, updateReply, deleteReply, toggleReplyLike]),
]

/** What the OpenAPI document has: also the export, which runs no document. */
export const documented: readonly (Operation | typeof getExport)[] = [...operations, getExport]

/** What reads the resource that a write changes: the GET of its path that has an entity tag. The preconditions of the write are on it. */
export const conditionalRead = ({ method, path }: Pick<Definition, 'method' | 'path'>): Definition | undefined =>
  method === 'GET' ? undefined : operations.find((it) => it.method === 'GET' && it.path === path && it.tagged)
