import type { z } from 'zod'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { newId } from '../../engine/data/new-id.ts'
import { addJob, type JobKind } from '../../engine/jobs/jobs.ts'
import { domainOf } from '../base/email-address.ts'
import { type MailPayload, type Notice, type Reset, type resetRequest, type Topic, topics } from './topics.ts'

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

/** The kind of the job that sends an e-mail. Those that let owners back into their accounts have their own, so that no others delay them. */
const kindOf = (topic: Topic): JobKind => (topic === 'reset' || topic === 'recovery' ? 'send-reset' : 'send-mail')

/** The beginning of the key of the jobs on a topic about an account. */
const keyPrefix = (topic: Topic, userId: string) => `${topic} ${userId} `

/** The key of the job that sends an e-mail: of those on one topic about an account to one new address, there is one. */
const mailKey = ({ topic, userId, to, changedTo = '' }: MailPayload): string =>
  `${keyPrefix(topic, userId)}${topic === 'new-address' ? to : topic === 'address-notice' ? changedTo : ''}`

type Recipient = Pick<MailPayload, 'username' | 'to' | 'isVerified'>

/** What a notice tells beside its topic. */
type Details = Pick<MailPayload, 'changedTo' | 'finalAt'>

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

/** Adds an e-mail that asks to confirm the new address of an account, and the notice to the old one. */
export async function addAddressChange(client: Client, userId: string, address: string): Promise<void> {
  const recipient = await recipientOf(client, userId)
  await addMail(client, 'new-address', userId, { ...recipient, to: address, isVerified: false })
  await addNotice(client, userId, 'address-notice', { changedTo: address })
}

/** Adds an e-mail that tells of what was done to an account, to its address, if that is verified: a stranger who has it must learn nothing. */
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
        where email = ${address} and suspended_at is null)
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
