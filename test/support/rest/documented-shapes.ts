import { ids } from '../networks/small-network.ts'

const gravatar = (hash: string) => `https://www.gravatar.com/avatar/${hash}?d=identicon`

const ada = {
  uuid: ids.ada,
  username: 'Ada',
  display_name: 'Ada Lovelace',
  avatar: gravatar('cfe00dde46ef942601ffafb9e2825e802858b460e586b8305b344c1eb826357d'),
} as const
const bob = {
  uuid: ids.bob,
  username: 'bob',
  display_name: 'Bob',
  avatar: gravatar('686b5e4cf4f963adf8f51468a48028ef8d15bd02fa335f821279a3d1678c9615'),
} as const
const cyd = {
  uuid: ids.cyd,
  username: 'cyd',
  display_name: 'Cyd',
  avatar: gravatar('7c45f5698aa779b4b58b20d15d0a62057f2f118aa0f669382fc9cc190bb107df'),
} as const
const dan = {
  uuid: ids.dan,
  username: 'dan',
  display_name: 'Dan',
  avatar: gravatar('7baae49012a217d21160df86bec77c13da3c830b38dcecbddbd693e00feec11f'),
} as const
const eve = {
  uuid: ids.eve,
  username: 'eve',
  display_name: 'Eve',
  avatar: gravatar('39f2b0c720afb91f8d1058eacd9a56f2cee2a0535cc810a46a0b531e6cdd1c08'),
} as const
const fay = {
  uuid: ids.fay,
  username: 'fay',
  display_name: 'Fay',
  avatar: gravatar('61376c15857d5dacc354feadebc80c406640573fad942195704fb8630a2ab858'),
} as const
const adaBadges = [
  { id: ids.early, name: 'Early' },
  { id: ids.founder, name: 'Founder' },
]
const adaBio = { badge: adaBadges, bio: 'Numbers & weaving.' }
const noBio = { badge: [], bio: '' }

/** The users of the small network as they appear in posts, with keys in the documented order. */
export const authors = {
  ada: { ...ada, ...adaBio, follower_count: 2, following_count: 1, joined: 1767323045 },
  bob: { ...bob, ...noBio, follower_count: 0, following_count: 1, joined: 1770091506 },
}

/** The users of the small network as Ada sees them, with keys in the documented order. */
export const users = {
  ada: {
    ...ada,
    email: 'ada@example.org',
    email_verified: true,
    ...adaBio,
    follow_count: 2,
    following_count: 1,
    has_followed: false,
    joined: 1767323045,
  },
  bob: { ...bob, ...noBio, follow_count: 0, following_count: 1, has_followed: false, joined: 1770091506 },
  cyd: { ...cyd, ...noBio, follow_count: 1, following_count: 1, has_followed: true, joined: 1770091506 },
  dan: { ...dan, ...noBio, follow_count: 0, following_count: 0, has_followed: false, joined: 1770091506 },
  fay: { ...fay, ...noBio, follow_count: 0, following_count: 0, has_followed: false, joined: 1770091506 },
  eve: { ...eve, ...noBio, follow_count: 0, following_count: 0, has_followed: false, joined: 1770091506 },
}

/** The application of Ada's token. */
export const loom = { uuid: ids.loom, name: 'Loom', website: 'https://loom.example/' }

type Post = {
  readonly uuid: string
  readonly parent: object | null
  readonly author: (typeof authors)[keyof typeof authors]
  readonly content: string
  readonly from: object | null
  readonly locked: boolean
  readonly reply_count: number
  readonly like_count: number
  readonly has_liked: boolean
  readonly created_at: number
}

/** A post object with keys in the documented order. */
function postOf(uuid: string, author: Post['author'], content: string, created_at: number, more: Partial<Post>): Post {
  const none = { from: null, locked: false, reply_count: 0, like_count: 0, has_liked: false }
  return { uuid, parent: null, author, content, ...none, created_at, ...more }
}

/** How a post object shows its parent. */
const parentOf = ({ uuid, author, content, created_at }: Post) => ({
  uuid,
  author,
  content,
  created_at,
  deleted: false,
})

const adaPost = postOf(ids.adaPost, authors.ada, 'A post', 1772600767, { from: loom, reply_count: 1, like_count: 1 })
const bobPost = postOf(ids.bobPost, authors.bob, 'A locked post', 1772600768, {
  ...{ locked: true, reply_count: 1, like_count: 2, has_liked: true },
})
const adaReply = postOf(ids.adaReply, authors.ada, 'A reply', 1772600769, {
  ...{ parent: parentOf(bobPost), from: loom, locked: true, reply_count: 1 },
})

/** The publications of the small network as the post endpoints return them to Ada. */
export const posts = {
  adaPost,
  bobPost,
  adaReply,
  bobReply: postOf(ids.bobReply, authors.bob, 'Another reply', 1772600770, { parent: parentOf(adaPost) }),
  bobNested: postOf(ids.bobNested, authors.bob, 'A reply to a reply', 1772600771, { parent: parentOf(adaReply) }),
  adaOrphan: postOf(ids.adaOrphan, authors.ada, 'A reply to nothing', 1772600773, {
    parent: { uuid: ids.adaGone, author: null, content: null, created_at: null, deleted: true },
  }),
}

/** The appeal of the small network as Ada sees it. */
export const appeal = {
  ...{ uuid: ids.appeal, state: 'open', text: 'It was not me', created_at: 1772800000 },
  ...{ answer: null, answered_at: null, user: users.cyd, answered_by: null },
}

/** The invitation of the small network as Ada sees it. */
export const invitation = {
  uuid: ids.invitation,
  max_uses: 5,
  uses: 2,
  created_at: 1772900000,
  expires_at: Date.UTC(2999, 11, 31) / 1_000,
}

/** The report of the small network as Ada sees it. */
export const report = {
  ...{ uuid: ids.report, state: 'open', created_at: 1772800000, reason: 'spam', comment: null },
  ...{ subject: ids.bobPost, user: users.bob, post: bobPost, reporter: users.cyd },
  ...{ username: 'bob', display_name: 'Bob', content: 'A locked post', closed_at: null, closed_by: null, note: null },
}
