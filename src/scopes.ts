/** Every scope there is, in the order of the interface (section 5); the last is Rookery's own. */
export const scopes = [
  'post.get',
  'post.send',
  'post.edit',
  'post.delete',
  'post.like',
  'reply.get',
  'reply.post',
  'reply.edit',
  'reply.delete',
  'reply.like',
  'user.get',
  'user.email',
  'user.follow',
  'user.following.get',
  'user.followers.get',
  'account.manage',
] as const

/** A permission that a token carries. */
export type Scope = (typeof scopes)[number]

/** Alternative sets of scopes: the outer list is "or", the inner "and". */
export type ScopeSets = readonly (readonly Scope[])[]

/** Whether a text, say from a command line, is a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/** A scope as the schema's enum names it: `post.get` is `POST_GET`. */
export function scopeEnumName(scope: Scope): string {
  return scope.toUpperCase().replaceAll('.', '_')
}

const readPublication = [['post.get'], ['reply.get']] as const
const manageAccount = [['account.manage']] as const

/**
 * The scopes that a field of the schema needs: alternative sets, of which a token has to satisfy one. It feeds
 * the check before execution, the schema's `@requiresScopes`, and what a 403 says. Where there are two sets, the first is for posts and
 * the second for replies. A field that is not here is open to whoever reached its parent.
 */
export const fieldScopes: Readonly<Record<string, ScopeSets>> = {
  'Query.viewer': [['user.get']],
  'Query.user': [['user.get']],
  'Query.post': readPublication,
  'Query.reply': [['reply.get']],
  'Query.homeTimeline': [['post.get']],
  'Query.publicTimeline': [['post.get']],
  'Query.accessTokens': manageAccount,
  'Query.applications': manageAccount,
  'Publication.replies': [['reply.get']],
  'Reply.parent': readPublication,
  'User.posts': [['post.get']],
  'User.following': [['user.following.get']],
  'User.followers': [['user.followers.get']],
  'Mutation.createAccessToken': manageAccount,
  'Mutation.revokeAccessToken': manageAccount,
  'Mutation.createApplication': manageAccount,
  'Mutation.updateProfile': manageAccount,
  'Mutation.changePassword': manageAccount,
  'Mutation.sendPost': [
    ['post.get', 'post.send'],
    ['reply.get', 'reply.post'],
  ],
  'Mutation.updatePost': [
    ['post.get', 'post.edit'],
    ['reply.get', 'reply.edit'],
  ],
  'Mutation.deletePost': [
    ['post.get', 'post.delete'],
    ['reply.get', 'reply.delete'],
  ],
  'Mutation.sendReply': [['reply.get', 'reply.post']],
  'Mutation.updateReply': [['reply.get', 'reply.edit']],
  'Mutation.deleteReply': [['reply.get', 'reply.delete']],
  'Mutation.toggleLike': [
    ['post.get', 'post.like'],
    ['reply.get', 'reply.like'],
  ],
  'Mutation.setLike': [
    ['post.get', 'post.like'],
    ['reply.get', 'reply.like'],
  ],
  'Mutation.toggleFollow': [['user.get', 'user.follow']],
  'Mutation.setFollow': [['user.get', 'user.follow']],
}

/** The scopes that `node` and `nodes` need for an id of each type. */
export const nodeScopes: Readonly<Record<string, ScopeSets>> = {
  Post: [['post.get']],
  Reply: [['reply.get']],
  User: [['user.get']],
  Application: [['post.get'], ['reply.get'], ['account.manage']],
  AccessToken: manageAccount,
}

/** Fields that are open to everyone, without a token. */
export const publicFields: ReadonlySet<string> = new Set(['Mutation.signUp', 'Mutation.signIn'])

/** Whether a token with these scopes satisfies one of the sets. */
export function satisfies(granted: ReadonlySet<Scope>, sets: ScopeSets): boolean {
  return sets.some((set) => set.every((scope) => granted.has(scope)))
}
