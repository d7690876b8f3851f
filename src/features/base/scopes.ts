import type { Effects, Scope } from '../../engine/scopes.ts'

/** All scopes, in the order of the interface (section 5), and what each lets an application do. The last four are Rookery's own. */
export const scopeSentences = {
  'post.get': 'Read posts',
  'post.send': 'Publish posts',
  'post.edit': 'Edit your posts',
  'post.delete': 'Delete your posts',
  'post.like': 'Like and bookmark posts',
  'reply.get': 'Read replies',
  'reply.post': 'Publish replies',
  'reply.edit': 'Edit your replies',
  'reply.delete': 'Delete your replies',
  'reply.like': 'Like and bookmark replies',
  'user.get': 'See profiles',
  'user.email': 'See your e-mail address',
  'user.follow': 'Follow, block and mute accounts',
  'user.following.get': 'See whom accounts follow',
  'user.followers.get': 'See who follows accounts',
  'notification.get': 'Read your notifications',
  'account.manage': 'Manage your account, its tokens and its applications',
  'account.export': 'Export all your data',
  'moderation.manage': 'Moderate this network',
} as const

declare module '../../engine/scopes.ts' {
  interface KnownScopes extends Readonly<Record<keyof typeof scopeSentences, true>> {}
}

/** All scopes. */
export const scopes = Object.keys(scopeSentences) as readonly Scope[]

/** What each scope lets a token do. */
export const effects: Effects = {
  'post.get': 'reads',
  'post.send': 'adds',
  'post.edit': 'changes',
  'post.delete': 'changes',
  'post.like': 'changes',
  'reply.get': 'reads',
  'reply.post': 'adds',
  'reply.edit': 'changes',
  'reply.delete': 'changes',
  'reply.like': 'changes',
  'user.get': 'reads',
  'user.email': 'reads',
  'user.follow': 'changes',
  'user.following.get': 'reads',
  'user.followers.get': 'reads',
  'notification.get': 'reads',
  'account.manage': 'changes',
  'account.export': 'reads',
  'moderation.manage': 'changes',
}

/** The scopes in groups, as pages show them: each with its title. */
export const scopeGroups = [
  {
    title: 'Read',
    scopes: ['post.get', 'reply.get', 'user.get', 'user.following.get', 'user.followers.get', 'notification.get'],
  },
  { title: 'Publish and edit', scopes: ['post.send', 'post.edit', 'reply.post', 'reply.edit'] },
  { title: 'Delete', scopes: ['post.delete', 'reply.delete'] },
  { title: 'Like and bookmark', scopes: ['post.like', 'reply.like'] },
  { title: 'Follow, block and mute', scopes: ['user.follow'] },
  { title: 'Your account', scopes: ['user.email', 'account.manage', 'account.export', 'moderation.manage'] },
] as const satisfies readonly { readonly title: string; readonly scopes: readonly Scope[] }[]

/** The scopes that an agent asks for first. */
export const readingScopes: readonly Scope[] = scopeGroups[0].scopes

/** Whether somebody has to choose a scope themselves: it deletes, or is about a whole account or the whole network. */
export const startsCleared = (scope: Scope): boolean => /^account\.|\.delete$|^moderation\./.test(scope)

/** Whether a token with these scopes can take over or read all of an account, or moderate, so that its owner has to hear of it. */
export const ownerIsTold = (scopes: readonly string[]): boolean =>
  scopes.some((scope) => /^account\.|^moderation\./.test(scope))

/** The scopes that every account may have. The other one is for moderators. */
export const commonScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'moderation.manage')

/** Stored instead of scopes, for a token that has all that its account may have, also those that later versions add. */
export const everyScope = '*'

/** The scopes that an account may have. */
export const scopesOfAccount = (moderates: boolean): readonly Scope[] => (moderates ? scopes : commonScopes)

/** Whether a text is a scope. */
export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}
