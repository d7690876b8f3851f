/** The versions of the interface's pages (section 9): one for posts and users, which everything else follows, and one for replies. */
export const apiVersions = { posts: 'V26.07.22', replies: 'V26.05.28' } as const

/** The version that a response follows. */
export type ApiVersion = (typeof apiVersions)[keyof typeof apiVersions]

/** The groups of operations, by their tags: their version, and what their paths find. */
export const groups = {
  Posts: { version: apiVersions.posts, finds: 'post', description: 'Posts, and replies as post objects.' },
  Users: { version: apiVersions.posts, finds: 'user', description: 'Profiles, posts of users, and follows.' },
  Hashtags: { version: apiVersions.posts, finds: 'hashtag', description: 'Posts and replies by their hashtags.' },
  Changes: { version: apiVersions.posts, finds: 'change', description: 'The change feed.' },
  Notifications: {
    version: apiVersions.posts,
    finds: 'notification',
    description: 'What others did that concerns the owner of the token.',
  },
  Reports: { version: apiVersions.posts, finds: 'report', description: 'Reports of users, posts and replies.' },
  Moderation: { version: apiVersions.posts, finds: 'user or post', description: 'What moderators do, and its log.' },
  Replies: {
    version: apiVersions.replies,
    finds: 'reply',
    description: 'Replies in the format of the older version of the interface.',
  },
} as const satisfies Readonly<Record<string, { version: ApiVersion; finds: string; description: string }>>
