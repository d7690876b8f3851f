import { z } from 'zod'
import { day } from '../../engine/day.ts'

const hour = day / 24

/** What e-mails are about, and for how many milliseconds they are worth sending: those that warn of a change as long as a link back works. */
export const topics = {
  /** Verifies the address of a new account. */
  verification: day,
  /** Verifies the new address of an account. */
  'new-address': day,
  /** Sets a new password. */
  reset: hour,
  /** Sets a new password after the change of an address was reverted. */
  recovery: day,
  'address-notice': 7 * day,
  'sign-in-notice': 7 * day,
  'password-notice': 7 * day,
  'username-notice': 7 * day,
  'token-notice': 7 * day,
  'application-notice': 7 * day,
  'deletion-notice': 7 * day,
} as const satisfies Record<string, number>

/** What an e-mail is about. */
export type Topic = keyof typeof topics

/** E-mails that tell owners what was done to their account. */
export type Notice = Extract<Topic, `${string}-notice`>

/** E-mails that let an owner set a new password. */
export type Reset = 'reset' | 'recovery'

const isTopic = (text: string): text is Topic => text in topics

/** An e-mail to send, to the address that has to get it at the time of its cause. The id becomes the `Message-ID`. */
export const mailPayload = z.strictObject({
  id: z.uuid(),
  topic: z.enum(Object.keys(topics).filter(isTopic)),
  userId: z.uuid(),
  username: z.string(),
  to: z.string(),
  /** The domain of the address, for which only some are sent at once. */
  domain: z.string(),
  /** Whether the account has proved that the address is its own. */
  isVerified: z.boolean(),
  /** When its cause was, and after which time it is not worth sending, in milliseconds since 1970. */
  at: z.number(),
  until: z.number(),
  /** The new address or username, and when an account is deleted for good, where an e-mail tells of it. */
  changedTo: z.string().optional(),
  finalAt: z.number().optional(),
})

/** An e-mail to send. */
export type MailPayload = z.infer<typeof mailPayload>

/** A request to reset the passwords of the accounts with an address. */
export const resetRequest = z.strictObject({ address: z.string() })
