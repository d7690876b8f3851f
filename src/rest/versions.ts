/** The versions of the interface's pages (section 9): one for posts and users, which everything else follows, and one for replies. */
export const apiVersions = { posts: 'V26.07.22', replies: 'V26.05.28' } as const

/** The version that a response follows. */
export type ApiVersion = (typeof apiVersions)[keyof typeof apiVersions]

const group = (finds: string, description: string, version: ApiVersion = apiVersions.posts) =>
  ({ version, finds, description }) as const

/** The groups of operations, by their tags: their version, and what their paths find. */
export const groups = {
  Posts: group('post', 'Posts, and replies as post objects.'),
  Users: group('user', 'Profiles, posts of users, and follows.'),
  Hashtags: group('hashtag', 'Posts and replies by their hashtags.'),
  Changes: group('change', 'The change feed.'),
  Notifications: group('notification', 'Notifications of the viewer about what others did.'),
  Reports: group('report', 'Reports of users, posts and replies.'),
  Moderation: group('user or post', 'Actions of moderators, and their log.'),
  Replies: group('reply', 'Replies in the format of the older version of the interface.', apiVersions.replies),
}
