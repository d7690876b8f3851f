import { z } from 'zod'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { newId } from '../../engine/data/ids.ts'
import { day } from '../../engine/day.ts'
import { addJob, type JobKind } from '../../engine/jobs/jobs.ts'
import { domainOf } from '../base/email-address.ts'

const hour = day / 24

/**
 * What e-mails are about, and for how many milliseconds they are worth sending: those that warn of a change as long as a link back
 * works.
 */
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
  'appeal-notice': 7 * day,
  'second-factor-notice': 7 * day,
  'second-factor-removal-notice': 7 * day,
  'recovery-codes-notice': 7 * day,
  'passkey-notice': 7 * day,
  'passkey-removal-notice': 7 * day,
  /** Tells that a new account was approved. */
  approval: 7 * day,
  /** Tells that a new account was rejected, and why. */
  rejection: 7 * day,
} as const satisfies Record<string, number>

/** What an e-mail is about. */
export type Topic = keyof typeof topics

/** E-mails that tell owners what was done to their account. */
type Notice = Extract<Topic, `${string}-notice`>

/** E-mails that let an owner set a new password. */
type Reset = 'reset' | 'recovery'

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
  /** Why a moderator rejected an account. */
  reason: z.string().optional(),
})

/** An e-mail to send. */
export type MailPayload = z.infer<typeof mailPayload>

/** A request to reset the passwords of the accounts with an address. */
export const resetRequest = z.strictObject({ address: z.string() })

declare module '../../engine/jobs/jobs.ts' {
  interface JobPayloads {
    readonly 'send-reset': MailPayload
    readonly 'find-accounts-to-reset': z.infer<typeof resetRequest>
    readonly 'send-mail': MailPayload
  }
}

/** The kinds of jobs that send e-mails. */
export const mailKinds: readonly JobKind[] = ['send-reset', 'find-accounts-to-reset', 'send-mail']

/** How many accounts of one address get an e-mail when a password reset is requested. */
const accountsOfAddress = 5

/**
 * The kind of the job that sends an e-mail. Those that let owners back into their accounts have their own, so that no others delay
 * them.
 */
const kindOf = (topic: Topic): JobKind => (topic === 'reset' || topic === 'recovery' ? 'send-reset' : 'send-mail')

/** The beginning of the key of the jobs on a topic about an account. */
const keyPrefix = (topic: Topic, userId: string) => `${topic} ${userId} `

/** The key of the job that sends an e-mail: of those on one topic about an account to one new address, there is one. */
const mailKey = ({ topic, userId, to, changedTo = '' }: MailPayload): string =>
  `${keyPrefix(topic, userId)}${topic === 'new-address' ? to : topic === 'address-notice' ? changedTo : ''}`

type Recipient = Pick<MailPayload, 'username' | 'to' | 'isVerified'>

/** What a notice tells beside its topic. */
type Details = Pick<MailPayload, 'changedTo' | 'finalAt' | 'reason'>

/** Adds the job of an e-mail, in the transaction of its cause. Of notices, the first one waits for its turn; of others, the last one. */
async function addMail(
  client: Client,
  topic: Topic,
  userId: string,
  { username, to, isVerified }: Recipient,
  details: Details = {},
): Promise<void> {
  const at = Date.now()
  const domain = domainOf(to)
  const about = { id: newId(), topic, userId, username, to, domain, isVerified }
  const payload = { ...about, at, until: at + topics[topic], ...details }
  const replaces = topic.endsWith('-notice') ? 'taken' : 'any'
  await addJob(client, kindOf(topic), payload, { key: mailKey(payload), replaces })
}

async function recipientOf(client: Client, id: string): Promise<Recipient> {
  const select = { username: true, email: true, emailVerified: true } as const
  const { username, email: to, emailVerified } = await client.user.findUniqueOrThrow({ where: { id }, select })
  return { username, to, isVerified: emailVerified }
}

/** Adds an e-mail to the current address of an account. */
export async function addMailTo(client: Client, userId: string, topic: 'verification' | Reset): Promise<void> {
  await addMail(client, topic, userId, await recipientOf(client, userId))
}

/** Adds an e-mail that tells what a moderator decided on a new account, to its address, even if that is not verified yet. */
export async function addDecision(
  client: Client,
  userId: string,
  decision: 'approval' | 'rejection',
  details: Pick<Details, 'reason'> = {},
): Promise<void> {
  await addMail(client, decision, userId, await recipientOf(client, userId), details)
}

/** Adds an e-mail that asks to confirm the new address of an account, and the notice to the old one. */
export async function addAddressChange(client: Client, userId: string, address: string): Promise<void> {
  const recipient = await recipientOf(client, userId)
  await addMail(client, 'new-address', userId, { ...recipient, to: address, isVerified: false })
  await addNotice(client, userId, 'address-notice', { changedTo: address })
}

/**
 * Adds an e-mail that tells of what was done to an account, to its address, if that is verified: a stranger who has it must learn
 * nothing.
 */
export async function addNotice(client: Client, userId: string, topic: Notice, details?: Details): Promise<void> {
  const recipient = await recipientOf(client, userId)
  const isUnchanged = details?.changedTo === recipient.username
  if (recipient.isVerified && !isUnchanged) await addMail(client, topic, userId, recipient, details)
}

/** Adds the e-mails that reset the passwords of the accounts with an address: if any has verified it, of those only. */
export async function addResets({ write: { prisma } }: Access, address: string): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    const accounts = await transaction.$queryRaw<{ id: string }[]>`
      with found as (
        select id, email_verified, email_verified = bool_or(email_verified) over () as gets_link from users
        where email = ${address})
      select id from found where gets_link order by id limit ${accountsOfAddress}::int`
    for (const { id } of accounts) await addMailTo(transaction, id, 'reset')
  })
}

const waiting = (topic: Topic, userId: string) => ({
  kind: kindOf(topic),
  key: { startsWith: keyPrefix(topic, userId) },
})

/** Cancels the changes of the address of an account that were not confirmed: their links, and e-mails that wait. */
export async function cancelAddressChanges(client: Client, userId: string): Promise<void> {
  await client.job.deleteMany({ where: waiting('new-address', userId) })
  await client.emailToken.deleteMany({ where: { userId, kind: 'CHANGE' } })
}

/** Removes the links that revert the changes since that of a link which expires then, and cancels the notices with such links. */
export async function endReverts(client: Client, userId: string, expiresAt: Date): Promise<void> {
  await client.job.deleteMany({
    where: { ...waiting('address-notice', userId), payload: { path: ['until'], gte: expiresAt.getTime() } },
  })
  await client.emailToken.deleteMany({ where: { userId, kind: 'REVERT', expiresAt: { gte: expiresAt } } })
}

/** Whether an e-mail was not cancelled. */
export async function isWaiting(client: Client, mail: MailPayload): Promise<boolean> {
  return (await client.job.count({ where: { kind: kindOf(mail.topic), key: mailKey(mail) } })) > 0
}
