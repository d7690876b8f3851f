import type { Group } from '../../engine/rest/operation.ts'

/** The versions of the interface's pages (section 9): one for posts and users, which everything else follows, and one for replies. */
export const apiVersions = { posts: 'V26.07.22', replies: 'V26.05.28' } as const

const group = (tag: string, resourceName: string, description: string, version: string = apiVersions.posts): Group => ({
  tag,
  version,
  resourceName,
  description,
})

/** The groups of operations. */
export const groups = {
  posts: group('Posts', 'post', 'Posts, and replies as post objects.'),
  users: group('Users', 'user', 'Profiles, posts of users, and follows.'),
  accounts: group('Accounts', 'account', 'Signing up and in, passwords and e-mail addresses.'),
  tokens: group('Tokens', 'access token', "The viewer's access tokens."),
  applications: group('Applications', 'application', "The viewer's applications."),
  invitations: group('Invitations', 'invitation', "The viewer's invitations to create accounts."),
  authorizations: group('Authorizations', 'authorization', 'What the viewer has allowed applications to do.'),
  hashtags: group('Hashtags', 'hashtag', 'Posts and replies by their hashtags.'),
  changes: group('Changes', 'change', 'The change feed.'),
  notifications: group('Notifications', 'notification', 'Notifications of the viewer about what others did.'),
  reports: group('Reports', 'report', 'Reports of users, posts and replies.'),
  appeals: group('Appeals', 'appeal', 'Appeals against suspensions.'),
  moderation: group('Moderation', 'user or post', 'Actions of moderators, and their log.'),
  server: group('Server', 'server', 'What the server says of itself.'),
  replies: group(
    'Replies',
    'reply',
    'Replies in the format of the older version of the interface.',
    apiVersions.replies,
  ),
} as const
