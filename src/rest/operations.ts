import { type Operation, withPageInQuery } from './operation.ts'
import { deletePost } from './operations/delete-post.ts'
import { deleteReply } from './operations/delete-reply.ts'
import { getFollowers } from './operations/get-followers.ts'
import { getFollowing } from './operations/get-following.ts'
import { getOwnUser } from './operations/get-own-user.ts'
import { getPost } from './operations/get-post.ts'
import { getPostLikes } from './operations/get-post-likes.ts'
import { getPostReplies } from './operations/get-post-replies.ts'
import { getPosts } from './operations/get-posts.ts'
import { getReply } from './operations/get-reply.ts'
import { getUser } from './operations/get-user.ts'
import { getUserLikes } from './operations/get-user-likes.ts'
import { getUserPosts } from './operations/get-user-posts.ts'
import { sendPost } from './operations/send-post.ts'
import { sendReply } from './operations/send-reply.ts'
import { toggleFollow } from './operations/toggle-follow.ts'
import { togglePostLike } from './operations/toggle-post-like.ts'
import { toggleReplyLike } from './operations/toggle-reply-like.ts'
import { updatePost } from './operations/update-post.ts'
import { updateReply } from './operations/update-reply.ts'
import { hasPageInPath } from './paths.ts'

/**
 * All operations of the REST interface, in the order of its sections 4.1 to 4.3; operations that it lacks follow the most similar one. Lists
 * also work without a page in their path.
 */
export const operations: readonly Operation[] = [
  getPost,
  getPosts,
  getPostReplies,
  getPostLikes,
  sendPost,
  updatePost,
  deletePost,
  togglePostLike,
  getOwnUser,
  getUser,
  getUserPosts,
  getUserLikes,
  toggleFollow,
  getFollowing,
  getFollowers,
  getReply,
  sendReply,
  updateReply,
  deleteReply,
  toggleReplyLike,
].flatMap((it) => (hasPageInPath(it) ? [it, withPageInQuery(it)] : [it]))
