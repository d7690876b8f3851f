/** Through which paths a publication is addressed: those of posts serve both kinds, those of replies only replies. */
export type Group = 'post' | 'reply'

/** A publication, by a number that `NetworkModel.uuidOf` maps to one that was sent before, or to none. */
export type PublicationNumber = number

/** A user, by UUID or by `@username`. */
export type UserReference = string

/** One page of a list of a publication. */
export type PublicationList = {
  readonly name: 'replies' | 'likers'
  readonly publication: PublicationNumber
  readonly page: number
  readonly limit: number | undefined
}

/** One page of a list of a user. */
export type UserList = {
  readonly name: 'posts' | 'likes' | 'following' | 'followers'
  readonly user: UserReference
  readonly page: number
  readonly limit: number | undefined
}

/** A request of the REST interface. */
export type Request =
  | {
      readonly name: 'send'
      readonly group: Group
      readonly content: string
      readonly locked: boolean | undefined
      readonly parent: PublicationNumber | undefined
    }
  | {
      readonly name: 'edit'
      readonly group: Group
      readonly publication: PublicationNumber
      readonly content: string | undefined
      readonly locked: boolean | undefined
    }
  | { readonly name: 'delete'; readonly group: Group; readonly publication: PublicationNumber }
  | { readonly name: 'like'; readonly group: Group; readonly publication: PublicationNumber }
  | { readonly name: 'follow'; readonly user: UserReference }
  | { readonly name: 'post' | 'reply'; readonly publication: PublicationNumber }
  | { readonly name: 'publications'; readonly publications: readonly PublicationNumber[] }
  | { readonly name: 'viewer' }
  | { readonly name: 'user'; readonly user: UserReference }
  | PublicationList
  | UserList

/** The codes of the refusals that requests may meet here, with their statuses. */
export const statuses = { VALIDATION_FAILED: 422, NOT_FOUND: 404, FORBIDDEN: 403, POST_LOCKED: 403 } as const

/** The code of a refusal. */
export type Code = keyof typeof statuses

/** The number of objects on a page. */
export function sizeOf({ name, limit }: Pick<PublicationList | UserList, 'name' | 'limit'>): number {
  return limit ?? (name === 'replies' ? 5 : 20)
}
