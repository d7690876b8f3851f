import type { Bounds } from '../../engine/text/characters.ts'

// The SQL in `prisma/` takes these numbers from here, too.

/** The length of the name of a user, a token or an application. */
export const nameBounds: Bounds = { min: 1, max: 50 }

/** The length of a biography. */
export const bioBounds: Bounds = { min: 0, max: 500 }

/** The length of a password. */
export const passwordBounds: Bounds = { min: 8, max: 128 }

/** The length of the text of a post or a reply. */
export const contentBounds: Bounds = { min: 1, max: 500 }

/** The length of a reason or a note that a moderator gives. */
export const reasonBounds: Bounds = { min: 1, max: 1_000 }

/** The length of the comment of a report. */
export const commentBounds: Bounds = { min: 0, max: 1_000 }
