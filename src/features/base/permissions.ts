import { insufficientScope, type Viewer } from '../../engine/auth/viewers.ts'
import { notFound } from '../../engine/errors.ts'
import type { Scope } from '../../engine/scopes.ts'

/** What a permission applies to: the two kinds of publications, user profiles, the viewer's own account, and the whole network. */
type Subject = 'post' | 'reply' | 'user' | 'account' | 'network'

/**
 * The scopes that an operation needs for each subject that it applies to. A token has to have all scopes
 * of one subject. An operation on a publication is not available for a kind that its permission does not list.
 */
export type Permission = Readonly<Partial<Record<Subject, readonly Scope[]>>>

export const readPublication: Permission = { post: ['post.get'], reply: ['reply.get'] }
export const readPost: Permission = { post: ['post.get'] }
export const readReply: Permission = { reply: ['reply.get'] }
export const sendPublication: Permission = { post: ['post.get', 'post.send'], reply: ['reply.get', 'reply.post'] }
export const sendReply: Permission = { reply: ['reply.get', 'reply.post'] }
export const editPublication: Permission = { post: ['post.get', 'post.edit'], reply: ['reply.get', 'reply.edit'] }
/** What is quoted, and what quotes it, can be a post or a reply. */
export const detachQuote: Permission = { account: ['post.get', 'reply.get', 'post.edit', 'reply.edit'] }
export const editReply: Permission = { reply: ['reply.get', 'reply.edit'] }
export const deletePublication: Permission = { post: ['post.get', 'post.delete'], reply: ['reply.get', 'reply.delete'] }
export const deleteReply: Permission = { reply: ['reply.get', 'reply.delete'] }
export const likePublication: Permission = { post: ['post.get', 'post.like'], reply: ['reply.get', 'reply.like'] }
export const likeReply: Permission = { reply: ['reply.get', 'reply.like'] }
export const readUser: Permission = { user: ['user.get'] }
export const followUser: Permission = { user: ['user.get', 'user.follow'] }
export const readFollowing: Permission = { user: ['user.following.get'] }
export const readFollowers: Permission = { user: ['user.followers.get'] }
/** The likes and bookmarks of a user, and changes, are of posts and replies alike. */
export const readAnyPublication: Permission = { user: ['post.get', 'reply.get'] }
export const readFollows: Permission = { user: ['user.following.get', 'user.followers.get'] }
export const readNotifications: Permission = { account: ['notification.get'] }
export const manageAccount: Permission = { account: ['account.manage'] }
/** Applications are shown with what they sent, and to their owners. */
export const readApplication: Permission = { ...readPublication, ...manageAccount }
/** Whoever can read everything can report it. */
export const report: Permission = { network: ['user.get', 'post.get', 'reply.get'] }
export const moderate: Permission = { network: ['moderation.manage'] }

/** The two kinds of publications. */
type PublicationKind = 'post' | 'reply'

/** Whether the permission applies to this kind of publication and the token has the scopes for it. */
export function isPermitted({ scopes }: Viewer, permission: Permission, kind: PublicationKind): boolean {
  return permission[kind]?.every((scope) => scopes.has(scope)) ?? false
}

/** Throws `NOT_FOUND` for a kind that the permission does not apply to, and `INSUFFICIENT_SCOPE` for missing scopes. */
export function requirePermission(viewer: Viewer, permission: Permission, kind: PublicationKind): void {
  const scopes = permission[kind]
  if (!scopes) throw notFound(kind === 'post' ? 'reply' : 'post')
  if (!isPermitted(viewer, permission, kind)) throw insufficientScope([scopes], viewer)
}
