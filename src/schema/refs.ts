import type { typeKey } from '../reads/sql-compiler.ts'
import { builder } from './builder.ts'

/** A compiled publication. It has only the selected fields; those with reads of their own are typed where they are defined. */
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
  readonly version: string
}

/** A compiled reply. */
export type ReplyRow = PublicationRow & { readonly parentUuid: string }

/** A compiled user, as far as it was selected. */
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
  readonly followsViewer: boolean
  readonly joinedAt: string
  readonly version: string
}

/** A badge of a compiled user. */
export type BadgeRow = { readonly id: string; readonly name: string }

/** A compiled application. */
export type ApplicationRow = {
  readonly id: string
  readonly uuid: string
  readonly name: string
  readonly website: string | null
  readonly version: string
}

/** The types that refer to one another. Each is defined in the file of its name. */
export const Publication = builder.interfaceRef<PublicationRow>('Publication')
export const Post = builder.objectRef<PublicationRow>('Post')
export const Reply = builder.objectRef<ReplyRow>('Reply')
export const User = builder.objectRef<UserRow>('User')
export const Application = builder.objectRef<ApplicationRow>('Application')
