import { type Definition, hasPageInPath, type Operation, withPageInQuery } from './operation.ts'
import { deleteUser, updateUser } from './operations/account.ts'
import { getUserBlocks, toggleBlock } from './operations/blocks.ts'
import { getUserBookmarks, togglePostBookmark } from './operations/bookmarks.ts'
import { getChanges } from './operations/changes.ts'
import { deletePost, deleteReply } from './operations/delete.ts'
import { getExport } from './operations/export.ts'
import { getFollowers, getFollowing, toggleFollow } from './operations/follows.ts'
import { getHashtagPosts } from './operations/hashtags.ts'
import { getPostLikes, getUserLikes, togglePostLike, toggleReplyLike } from './operations/likes.ts'
import { getModerationLog, reinstateUser, removePost, suspendUser } from './operations/moderation.ts'
import { getUserMutes, toggleMute } from './operations/mutes.ts'
import { getNotifications, readNotifications } from './operations/notifications.ts'
import { getPost, getPostReplies, getPosts } from './operations/read-posts.ts'
import { getReply } from './operations/read-reply.ts'
import { getOwnUser, getUser, getUserPosts, getUserReplies } from './operations/read-users.ts'
import { closeReport, getReports, sendReport } from './operations/reports.ts'
import { searchPosts, searchUsers } from './operations/search.ts'
import { sendPost, sendReply } from './operations/send.ts'
import { getPostThread } from './operations/thread.ts'
import { updatePost, updateReply } from './operations/update.ts'

/** Lists also work without a page in their path. */
const ofGroup = (tag: Operation['tag'], definitions: readonly Definition[]): Operation[] =>
  definitions.flatMap((it) => (hasPageInPath(it) ? [it, withPageInQuery(it)] : [it])).map((it) => ({ ...it, tag }))

/** All operations of the REST interface, in the order of its sections 4.1 to 4.3; operations that it lacks follow the most similar one. */
export const operations: readonly Operation[] = [
  ...ofGroup('Posts', [
    ...[getPost, getPosts, searchPosts, getPostReplies, getPostThread, getPostLikes],
    ...[sendPost, updatePost, deletePost, togglePostLike, togglePostBookmark],
  ]),
  ...ofGroup('Users', [
    ...[getOwnUser, getUser, searchUsers, getUserPosts, getUserReplies, getUserLikes, getUserBookmarks],
    ...[updateUser, deleteUser],
    ...[toggleFollow, getFollowing, getFollowers],
    ...[toggleBlock, getUserBlocks, toggleMute, getUserMutes],
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
