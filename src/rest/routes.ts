import * as documents from './documents.ts'
import { apiVersions, type Route, route } from './route.ts'
import {
  changedReply,
  found,
  postObject,
  postObjects,
  replyObject,
  sentReply,
  toggled,
  userObject,
  userObjects,
} from './shapes.ts'

const { posts, replies } = apiVersions

/** A mutation needs the uuid; a `{user}` that is one has set `$uuid` already. */
const uuidOfUser = {
  document: documents.findUser,
  when: ({ uuid }: { readonly uuid?: unknown }) => uuid === undefined,
  variables: ({ user }: NonNullable<(typeof documents.findUser)['data']>) => ({ uuid: found('user', user).uuid }),
}

/** The whole REST interface, in the order of its sections 4.1 to 4.3. */
export const routes: readonly Route[] = [
  route({
    id: 'getPost',
    method: 'GET',
    path: '/post/{uuid}',
    version: posts,
    document: documents.getPost,
    answer: ({ post }) => postObject(found('post', post)),
  }),
  route({
    id: 'getPostReplies',
    method: 'GET',
    path: '/post/{uuid}/replies/{page}',
    version: posts,
    scopes: [['post.get', 'reply.get']],
    pages: { size: 5, list: ({ post }) => post?.replies },
    document: documents.getPostReplies,
    answer: ({ post }) => {
      const { replies, ...publication } = found('post', post)
      return { post: postObject(publication), replies: postObjects(replies.nodes) }
    },
  }),
  route({
    id: 'sendPost',
    method: 'POST',
    path: '/post',
    version: posts,
    body: ['content', 'locked', 'parent', 'from'],
    document: documents.sendPost,
    answer: ({ sendPost }) => postObject(sendPost.publication),
  }),
  route({
    id: 'updatePost',
    method: 'PATCH',
    path: '/post/{uuid}',
    version: posts,
    body: ['content', 'locked'],
    document: documents.updatePost,
    answer: ({ updatePost }) => postObject(updatePost.publication),
  }),
  route({
    id: 'deletePost',
    method: 'DELETE',
    path: '/post/{uuid}',
    version: posts,
    document: documents.deletePost,
    answer: ({ deletePost }) => postObject(deletePost.publication),
  }),
  route({
    id: 'togglePostLike',
    method: 'POST',
    path: '/post/{uuid}/like',
    version: posts,
    document: documents.toggleLike,
    answer: ({ toggleLike }, _session, { uuid }) => toggled(toggleLike.action, uuid),
  }),
  route({
    id: 'getOwnUser',
    method: 'GET',
    path: '/user',
    version: posts,
    document: documents.getViewer,
    answer: ({ viewer }, session) => userObject(found('user', viewer), session.viewerId),
  }),
  route({
    id: 'getUser',
    method: 'GET',
    path: '/user/{user}',
    version: posts,
    document: documents.getUser,
    answer: ({ user }, session) => userObject(found('user', user), session.viewerId),
  }),
  route({
    id: 'getUserPosts',
    method: 'GET',
    path: '/user/{user}/posts/{page}',
    version: posts,
    pages: { size: 20, list: ({ user }) => user?.posts },
    document: documents.getUserPosts,
    answer: ({ user }) => {
      const { uuid, posts } = found('user', user)
      return { user: uuid, posts: postObjects(posts.nodes) }
    },
  }),
  route({
    id: 'toggleFollow',
    method: 'POST',
    path: '/user/{user}/follow',
    version: posts,
    lookup: uuidOfUser,
    document: documents.toggleFollow,
    answer: ({ toggleFollow }, _session, { uuid }) => toggled(toggleFollow.action, uuid),
  }),
  route({
    id: 'getFollowing',
    method: 'GET',
    path: '/user/{user}/following',
    version: posts,
    pages: { size: 20, list: ({ user }) => user?.following },
    document: documents.getFollowing,
    answer: ({ user }) => ({ following: userObjects(found('user', user).following.nodes) }),
  }),
  route({
    id: 'getFollowers',
    method: 'GET',
    path: '/user/{user}/followers',
    version: posts,
    pages: { size: 20, list: ({ user }) => user?.followers },
    document: documents.getFollowers,
    answer: ({ user }) => ({ followers: userObjects(found('user', user).followers.nodes) }),
  }),
  route({
    id: 'getReply',
    method: 'GET',
    path: '/reply/{uuid}',
    version: replies,
    document: documents.getReply,
    answer: ({ reply }) => replyObject(found('reply', reply)),
  }),
  route({
    id: 'sendReply',
    method: 'POST',
    path: '/reply',
    version: replies,
    body: ['content', 'lock', 'from', 'parent'],
    document: documents.sendReply,
    answer: ({ sendReply }) => sentReply(sendReply.reply),
  }),
  route({
    id: 'updateReply',
    method: 'PATCH',
    path: '/reply/{uuid}',
    version: replies,
    body: ['content', 'lock'],
    document: documents.updateReply,
    answer: ({ updateReply }) => changedReply(updateReply.reply),
  }),
  route({
    id: 'deleteReply',
    method: 'DELETE',
    path: '/reply/{uuid}',
    version: replies,
    document: documents.deleteReply,
    answer: ({ deleteReply }) => changedReply(deleteReply.reply),
  }),
  route({
    id: 'toggleReplyLike',
    method: 'PUT',
    path: '/like/{uuid}',
    version: replies,
    scopes: [['reply.get', 'reply.like']],
    lookup: { document: documents.findReply, variables: ({ reply }) => ({ uuid: found('reply', reply).uuid }) },
    document: documents.toggleLike,
    answer: ({ toggleLike }) => ({ _message: toggleLike.action.toLowerCase() }),
  }),
]
