/** The versions of the interface's pages (section 9): one for posts and users, which everything else follows, and one for replies. */
export const apiVersions = { posts: 'V26.07.22', replies: 'V26.05.28' } as const

/** The version that a response follows. */
export type ApiVersion = (typeof apiVersions)[keyof typeof apiVersions]
