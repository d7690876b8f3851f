import { z } from 'zod'
import { day } from '../day.ts'

/** What e-mails are about, and for how many milliseconds they are worth sending: a notice as long as its link works. */
export const topics = {
  verification: day,
  change: day,
  notice: 7 * day,
  reset: 30 * 60_000,
  /** A reset that nobody but the owner can ask for. */
  recovery: day,
  'sign-in': day,
} as const

/** What an e-mail is about. */
export type Topic = keyof typeof topics

/** E-mails that warn whoever had the address of the account when they were added, whatever it is once they are sent. */
export const warnings: readonly Topic[] = ['notice', 'sign-in']

/**
 * An e-mail to an account, with `email` to another address of it; or, without an account, a request to reset the passwords of all accounts of an
 * address. The id becomes the `Message-ID`.
 */
export const mailPayload = z.strictObject({
  id: z.uuid(),
  about: z.enum(Object.keys(topics).filter((it): it is Topic => it in topics)),
  userId: z.uuid().optional(),
  email: z.string().optional(),
  /** Whom a warning goes to. */
  recipient: z.strictObject({ email: z.string(), emailVerified: z.boolean() }).optional(),
  /** After this time it is not worth sending, in milliseconds since 1970. */
  until: z.number(),
})

/** An e-mail to send. */
export type MailPayload = z.infer<typeof mailPayload>
