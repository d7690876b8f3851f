import type { Database } from '../../src/data/database.ts'

type UserRow = {
  id: string
  username: string
  display_name: string
  email: string
  email_verified: boolean
  bio: string
  follower_count: number
  following_count: number
  joined_at: Date
  version: bigint
}
type PublicationRow = {
  id: string
  parent_id: string | null
  author_id: string
  application_id: string | null
  content: string
  locked: boolean
  reply_count: number
  like_count: number
  created_at: Date
  edited_at: Date | null
  deleted_at: Date | null
  version: bigint
}
type ApplicationRow = { id: string; owner_id: string; name: string; website: string | null; version: bigint }
/** A token. */
export type TokenRow = {
  id: string
  user_id: string
  name: string
  scopes: string[]
  created_at: Date
  expires_at: Date | null
}
/** A like. */
export type LikeRow = { id: string; publication_id: string; user_id: string }
/** A follow. */
export type FollowRow = { id: string; follower_id: string; followee_id: string }

/** All rows of a database, by table. */
export type Rows = Awaited<ReturnType<typeof loadRows>>

/** Reads all rows of a database. */
export async function loadRows({ write: { prisma } }: Database) {
  return {
    users: await prisma.$queryRaw<UserRow[]>`select * from users`,
    publications: await prisma.$queryRaw<PublicationRow[]>`select * from publications where deleted_at is null`,
    applications: await prisma.$queryRaw<ApplicationRow[]>`select * from applications`,
    tokens: await prisma.$queryRaw<TokenRow[]>`select * from access_tokens`,
    follows: await prisma.$queryRaw<FollowRow[]>`select * from follows`,
    likes: await prisma.$queryRaw<LikeRow[]>`select * from likes`,
    badges: await prisma.$queryRaw<{ user_id: string; id: string; name: string }[]>`
      select w.user_id, b.id, b.name from user_badges w join badges b on b.id = w.badge_id`,
  }
}
