/** How one kind of server spells what the works ask for. Its answers have the same shape everywhere, by aliases. */
export type Dialect = {
  readonly uuid: string
  readonly author: string
  readonly liked: string
  readonly following: string
  readonly post: string
  readonly user: string
  readonly toggleLike: string
  readonly sendPost: string
  /** The fields of a publication that was liked or unliked. */
  readonly likeFields: string
  /** The publication in a mutation's payload. */
  readonly sent: string
  /** The type of the home timeline's cursor. */
  readonly homeCursor: string
  /** The type of other lists' cursors. */
  readonly cursor: string
  /** 20 posts of the home timeline after `$after`; with one more where the server has to be told, to know if there is more. */
  readonly home: (withPageInfo: boolean) => string
  readonly posts: (first: number) => string
  readonly replies: (first: number, after?: boolean) => string
}

/** Rookery's own schema, which Mercurius and Apollo Server serve too. */
export const rookeryDialect: Dialect = {
  uuid: 'uuid',
  author: 'author',
  liked: 'viewerHasLiked',
  following: 'viewerIsFollowing',
  post: 'post(uuid: $uuid)',
  user: 'user(by: { uuid: $uuid })',
  toggleLike: 'toggleLike(input: { uuid: $uuid })',
  likeFields: 'uuid likeCount viewerHasLiked',
  sendPost: 'sendPost(input: { content: $content })',
  sent: 'publication',
  homeCursor: 'String',
  cursor: 'String',
  home: () => 'homeTimeline(first: 20, after: $after)',
  posts: (first) => `posts(first: ${first})`,
  replies: (first, after = false) => `replies(first: ${first}${after ? ', after: $after' : ''})`,
}

const live = 'deletedAt: null'

const postgraphile = {
  uuid: 'uuid: rowId',
  author: 'author: userByAuthorId',
  post: 'post: publicationByRowId(rowId: $uuid)',
  user: 'user: userByRowId(rowId: $uuid)',
  sent: 'publication: result',
  homeCursor: 'UUID',
  cursor: 'Cursor',
  posts: (first: number) =>
    `posts: publicationsByAuthorId(first: ${first}, orderBy: ROW_ID_DESC, condition: { parentId: null, ${live} })`,
  replies: (first: number, after = false) =>
    `replies: publicationsByParentId(first: ${first}, orderBy: ROW_ID_ASC, condition: { ${live} }${after ? ', after: $after' : ''})`,
}

/** PostGraphile that takes the viewer from a setting of the transaction. */
export const settingsDialect: Dialect = {
  ...postgraphile,
  liked: 'viewerHasLiked',
  following: 'viewerIsFollowing',
  toggleLike: 'toggleLike(input: { publication: $uuid })',
  likeFields: 'uuid: rowId likeCount viewerHasLiked',
  sendPost: 'sendPost(input: { content: $content })',
  home: (withPageInfo) => `homeTimeline(beforeId: $after, size: ${withPageInfo ? 21 : 20}, first: 20)`,
}

/** PostGraphile that takes the viewer as an argument. */
export const argumentDialect: Dialect = {
  ...postgraphile,
  liked: 'viewerHasLiked: likedByViewer',
  following: 'viewerIsFollowing: followedByViewer',
  toggleLike: 'toggleLike: toggleLikeFor(input: { viewer: $viewer, publication: $uuid })',
  likeFields: 'uuid likeCount viewerHasLiked',
  sendPost: 'sendPost: sendPostFor(input: { viewer: $viewer, content: $content })',
  home: (withPageInfo) =>
    `homeTimeline: homeTimelineFor(viewer: $viewer, beforeId: $after, size: ${withPageInfo ? 21 : 20}, first: 20)`,
}

/** A document of one operation; the viewer becomes a variable where it is used. */
export function operation(
  kind: 'query' | 'mutation',
  name: string,
  variables: Readonly<Record<string, string>>,
  body: string,
): string {
  const all = { ...(body.includes('$viewer') && { viewer: 'UUID!' }), ...variables }
  const declared = Object.entries(all).map(([variable, type]) => `$${variable}: ${type}`)
  return `${kind} ${name}(${declared.join(', ')}) { ${body} }`
}
