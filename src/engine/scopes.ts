/** Declares the scopes of an application: `declare module` adds them as properties. */
// biome-ignore lint/suspicious/noEmptyInterface: an application fills it.
export interface KnownScopes {}

/** A scope that a token can have. */
export type Scope = keyof KnownScopes

/** What a scope lets a token do: read, also add something, or also change and remove what is there. */
export type Effect = 'reads' | 'adds' | 'changes'

/** The effect of each scope. */
export type Effects = Readonly<Record<Scope, { readonly effect: Effect }>>

/** Alternative sets of scopes: the outer list is "or", the inner "and". */
export type ScopeSets = readonly (readonly Scope[])[]

/** The scopes that an operation needs for each kind of subject that it applies to. A token has to have all scopes of one of them. */
export type ScopesBySubject = Readonly<Partial<Record<string, readonly Scope[]>>>

/** The alternative scope sets of a permission, in the order in which it lists its subjects. */
export function scopeSetsOf(permission: ScopesBySubject): ScopeSets {
  return Object.values(permission).filter((set) => set !== undefined)
}

/** The name of a scope in the schema's enum: `POST_GET` for `post.get`. */
export function scopeEnumName(scope: Scope): string {
  return String(scope).toUpperCase().replaceAll('.', '_')
}

/** Whether the granted scopes include all of at least one set. */
export function satisfies(granted: ReadonlySet<Scope>, sets: ScopeSets): boolean {
  return sets.some((set) => set.every((scope) => granted.has(scope)))
}
