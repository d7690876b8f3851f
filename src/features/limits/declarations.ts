import { day } from '../../engine/day.ts'
import type { TextForm } from '../../engine/text/text-form.ts'

const limit = (hours: number, what: string) => ({ seconds: hours * 3_600, what })

/** What is limited by account, and in which window, which begins with the first of it. Settings say how much. */
export const accountLimits = {
  publications: limit(3, 'posts, replies and reposts that the account sends'),
  follows: limit(24, 'accounts that the account follows or asks to follow'),
  mentions: limit(24, 'accounts that the account mentions and that do not follow it'),
  reports: limit(24, 'reports that the account sends'),
  likes: limit(24, 'posts and replies that the account likes'),
} as const

/** What is limited. */
export type LimitName = keyof typeof accountLimits

/** The names of all limits. */
export const limitNames = Object.keys(accountLimits) as readonly LimitName[]

/** The form of their names. */
export const limitForm: TextForm = { min: 1, max: 20, pattern: /^[a-z]+$/, words: 'lower-case letters' }

/** How much of each an account may do; undefined for what is not limited. */
export type MostByLimit = Readonly<Record<LimitName, number | undefined>>

/** For how long an account counts as new, in milliseconds, and by what its limits are divided then. */
export const newAccounts = { age: day, divisor: 10 } as const
