import type { Effect, Scope } from '../../engine/scopes.ts'

/** Groups of scopes, as pages show them: each with its title. The first is what an agent asks for first. */
const groupTitles = {
  read: 'Read',
  publish: 'Publish and edit',
  delete: 'Delete',
  like: 'Like and bookmark',
  follow: 'Follow, block and mute',
  account: 'Your account',
} as const

/** What there is to know of a scope. */
type ScopeFacts = {
  /** What it lets an application do, as consent pages say it. */
  readonly sentence: string
  /** What it lets a token do. */
  readonly effect: Effect
  readonly group: keyof typeof groupTitles
  /** Whether people have to choose it themselves: it deletes, or is about a whole account or the whole network. */
  readonly startsCleared?: true
  /** Whether the owner of an account has to hear of tokens with it: they can take over or read all of the account, or moderate. */
  readonly tellsOwner?: true
}

/** All scopes, in the order of the interface (section 5). The last four are Rookery's own. */
const facts = {
  'post.get': { sentence: 'Read posts', effect: 'reads', group: 'read' },
  'post.send': { sentence: 'Publish and repost posts', effect: 'adds', group: 'publish' },
  'post.edit': { sentence: 'Edit your posts', effect: 'changes', group: 'publish' },
  'post.delete': { sentence: 'Delete your posts', effect: 'changes', group: 'delete', startsCleared: true },
  'post.like': { sentence: 'Like and bookmark posts', effect: 'changes', group: 'like' },
  'reply.get': { sentence: 'Read replies', effect: 'reads', group: 'read' },
  'reply.post': { sentence: 'Publish and repost replies', effect: 'adds', group: 'publish' },
  'reply.edit': { sentence: 'Edit your replies', effect: 'changes', group: 'publish' },
  'reply.delete': { sentence: 'Delete your replies', effect: 'changes', group: 'delete', startsCleared: true },
  'reply.like': { sentence: 'Like and bookmark replies', effect: 'changes', group: 'like' },
  'user.get': { sentence: 'See profiles', effect: 'reads', group: 'read' },
  'user.email': { sentence: 'See your e-mail address', effect: 'reads', group: 'account' },
  'user.follow': {
    sentence: 'Follow, block and mute accounts, and answer requests to follow you',
    effect: 'changes',
    group: 'follow',
  },
  'user.following.get': { sentence: 'See who accounts follow', effect: 'reads', group: 'read' },
  'user.followers.get': { sentence: 'See the followers of accounts', effect: 'reads', group: 'read' },
  'notification.get': { sentence: 'Read your notifications', effect: 'reads', group: 'read' },
  'account.manage': {
    sentence: 'Manage your account, its tokens and its applications',
    effect: 'changes',
    group: 'account',
    startsCleared: true,
    tellsOwner: true,
  },
  'account.export': {
    sentence: 'Export all your data',
    effect: 'reads',
    group: 'account',
    startsCleared: true,
    tellsOwner: true,
  },
  'moderation.manage': {
    sentence: 'Moderate this network',
    effect: 'changes',
    group: 'account',
    startsCleared: true,
    tellsOwner: true,
  },
} as const satisfies Readonly<Record<string, ScopeFacts>>

declare module '../../engine/scopes.ts' {
  interface KnownScopes extends Readonly<Record<keyof typeof facts, true>> {}
}

/** All scopes. */
export const scopes = Object.keys(facts) as readonly Scope[]

/** What there is to know of each scope. */
export const scopeFacts: Readonly<Record<Scope, ScopeFacts>> = facts

/** The scopes in groups, each with its title. */
export const scopeGroups = Object.entries(groupTitles).map(([group, title]) => ({
  title,
  scopes: scopes.filter((scope) => scopeFacts[scope].group === group),
}))

/** The scopes that an agent asks for first. */
export const readingScopes: readonly Scope[] = scopes.filter((scope) => scopeFacts[scope].group === 'read')

/** Whether the owner of an account has to hear of a token with these scopes. */
export const tellsOwner = (granted: readonly string[]): boolean =>
  granted.some((scope) => isScope(scope) && scopeFacts[scope].tellsOwner)

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
