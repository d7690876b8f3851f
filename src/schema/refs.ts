import type { typeKey } from '../reads/statement.ts'
import { builder } from './builder.ts'

/** A composed publication. Only what was selected is there; its edges are read by their fields. */
export type PublicationRow = {
  readonly [typeKey]?: 'Post' | 'Reply'
  readonly id: string
  readonly uuid: string
  readonly content: string
  readonly locked: boolean
  readonly replyCount: number
  readonly likeCount: number
  readonly viewerHasLiked: boolean
  readonly createdAt: string
  readonly editedAt: string | null
}

/** A composed reply. */
export type ReplyRow = PublicationRow & { readonly parentUuid: string }

/** A composed user. Only what was selected is there; its edges are read by their fields. */
export type UserRow = {
  readonly id: string
  readonly uuid: string
  readonly username: string
  readonly displayName: string
  readonly avatar: string
  readonly email: string | null
  readonly emailVerified: boolean | null
  readonly badges: readonly BadgeRow[]
  readonly bio: string
  readonly followerCount: number
  readonly followingCount: number
  readonly viewerIsFollowing: boolean
  readonly joinedAt: string
}

/** A badge inside a composed user. */
export type BadgeRow = { readonly id: string; readonly name: string }

/** A composed application. */
export type ApplicationRow = {
  readonly id: string
  readonly uuid: string
  readonly name: string
  readonly website: string | null
}

/** The types that name one another; each is defined in the file of its name. */
export const Publication = builder.interfaceRef<PublicationRow>('Publication')
export const Post = builder.objectRef<PublicationRow>('Post')
export const Reply = builder.objectRef<ReplyRow>('Reply')
export const User = builder.objectRef<UserRow>('User')
export const Application = builder.objectRef<ApplicationRow>('Application')
