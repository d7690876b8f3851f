/** All scopes, in the order of the interface (section 5). The last four are Rookery's own. */
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
  'notification.get',
  'account.manage',
  'account.export',
  'moderation.manage',
] as const

/** A scope that a token can have. */
export type Scope = (typeof scopes)[number]

/** The scopes that every account may have. The other one is for moderators. */
export const commonScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'moderation.manage')

/** Alternative sets of scopes: the outer list is "or", the inner "and". */
export type ScopeSets = readonly (readonly Scope[])[]

/** Whether a text is a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}

/** The name of a scope in the schema's enum: `POST_GET` for `post.get`. */
export function scopeEnumName(scope: Scope): string {
  return scope.toUpperCase().replaceAll('.', '_')
}

/** Whether the granted scopes include all of at least one set. */
export function satisfies(granted: ReadonlySet<Scope>, sets: ScopeSets): boolean {
  return sets.some((set) => set.every((scope) => granted.has(scope)))
}
