import { longestLanguage } from '../../engine/text/language.ts'
import type { TextForm } from '../../engine/text/text-form.ts'
import { nameOf, textOf } from './input-rules.ts'

// The SQL in `prisma/` takes these numbers from here, too.

/** The name of a user, a token or an application. */
export const nameBounds = nameOf(1, 50)

/** A biography. */
export const bioBounds = textOf(0, 500)

/** A password. */
export const passwordBounds = textOf(8, 128)

/** The text of a post or a reply. */
export const contentBounds = textOf(1, 500)

/** A warning before the text of a post or a reply. */
export const warningBounds = textOf(1, 200)

/** How a warning stands in front of a text: what surrounds it, how it is found there, also with other line breaks, and in words. */
export const warningMarks = {
  before: '[CW: ',
  after: ']\n\n',
  inText: /^\[CW: (.+?)\]\r?\n\r?\n(.*)$/s,
  words: '`[CW: the warning]` and an empty line',
}

/** The text of a post or a reply with its warning in front. */
export const warnedBounds = textOf(
  contentBounds.min,
  warningMarks.before.length + warningBounds.max + warningMarks.after.length + contentBounds.max,
)

/** A reason or a note that a moderator gives. */
export const reasonBounds = textOf(1, 1_000)

/** Why somebody wants to join. */
export const signUpReasonBounds = textOf(1, 500)

/** The comment of a report. */
export const commentBounds = textOf(0, 1_000)

/** What a suspended person writes to the moderators. */
export const appealBounds = textOf(1, 1_000)

/** What somebody searches for. */
export const searchBounds = textOf(1, 200)

/** A language tag (BCP 47), as far as a pattern can tell. */
export const languageForm: TextForm = {
  min: 2,
  max: longestLanguage,
  pattern: /^[A-Za-z0-9]{2,8}(?:-[A-Za-z0-9]{1,8})*$/,
  words: 'a language tag',
}

/** How many accounts can be created with one invitation at most. */
export const maxInvitationUses = 100

/** For how many days an invitation can be used: usually, and at most. */
export const invitationDays = { usual: 7, max: 90 } as const

/** How many languages a list names at most. */
export const maxLanguages = 20

/** A version, which has no meaning for clients. */
export const versionForm: TextForm = { min: 1, max: 40, pattern: /^\S+$/, words: 'an opaque text' }
