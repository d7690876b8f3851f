import { z } from 'zod'

const [minute, day] = [60, 86_400]

/** What mails are about, and for how many seconds they are worth sending. */
export const topics = { verification: day, change: day, notice: day, reset: 30 * minute, 'sign-in': day } as const

/** What a mail is about. */
export type Topic = keyof typeof topics

/** A mail to an account, or with `email` to another address; or who asks for new passwords of all accounts of an address. The id is that of the mail. */
export const mailPayload = z.strictObject({
  id: z.uuid(),
  about: z.enum(Object.keys(topics).filter((it): it is Topic => it in topics)),
  userId: z.uuid().optional(),
  email: z.string().optional(),
  /** After this time it is not worth sending, in milliseconds since 1970. */
  until: z.number(),
})

/** A mail to send. */
export type MailPayload = z.infer<typeof mailPayload>
