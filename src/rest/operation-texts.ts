/** For operations that serve both kinds. */
export const eitherKind = 'Supports posts and replies. The first set of scopes is for posts, the second for replies.'

/** For operations that serve one kind. */
export const repliesOnly = 'Supports replies only; a post is not found.'

/** For toggles. */
export const toggles = 'This is a toggle: retry only with an `Idempotency-Key`. A body is ignored.'
