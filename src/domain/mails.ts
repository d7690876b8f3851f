import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import type { EmailTokenKind } from '../data/generated/prisma/enums.ts'
import { MailError, type Mailer } from '../data/mailer.ts'
import type { Log } from '../log.ts'
import { lockAccount } from './access-tokens.ts'
import { createEmailToken, type EmailToken, emailLinks } from './email-tokens.ts'
import { addJob } from './jobs.ts'
import type { MailLimits } from './mail-limits.ts'
import { type MailPayload, type Topic, topics, warnings } from './mail-topics.ts'
import { newId } from './new-id.ts'

/** The key of the job that sends an e-mail. */
const mailKey = (about: Topic, { userId = '', email = '' }: Pick<MailPayload, 'userId' | 'email'>) =>
  `${about} ${userId} ${email}`

/**
 * Adds an e-mail to send, in the transaction of its cause, in place of one about the same that waits. A warning that waits stays instead: it
 * goes to whoever has to be warned.
 */
export async function addMail(client: Client, about: Topic, to: Pick<MailPayload, 'userId' | 'email'>): Promise<void> {
  const isWarning = warnings.includes(about)
  const recipient =
    to.userId !== undefined && isWarning
      ? await client.user.findUniqueOrThrow({
          where: { id: to.userId },
          select: { email: true, emailVerified: true },
        })
      : undefined
  const payload = { id: newId(), about, ...to, recipient, until: Date.now() + topics[about] }
  await addJob(client, 'send-mail', payload, { key: mailKey(about, to), replaces: !isWarning })
}

const mailsAbout = (about: Topic, userId: string) => ({
  kind: 'send-mail',
  key: { startsWith: mailKey(about, { userId }) },
})

/** Cancels the changes of the address of an account that were not confirmed: their links, and e-mails that wait. */
export async function cancelEmailChanges(client: Client, userId: string): Promise<void> {
  await client.job.deleteMany({ where: mailsAbout('change', userId) })
  await client.emailToken.deleteMany({ where: { userId, kind: 'CHANGE' } })
}

/** Removes the links that revert the changes since that of a link which expires then, and cancels the notices with such links. */
export async function endReverts(client: Client, userId: string, expiresAt: Date): Promise<void> {
  await client.job.deleteMany({
    where: { ...mailsAbout('notice', userId), payload: { path: ['until'], gte: expiresAt.getTime() } },
  })
  await client.emailToken.deleteMany({ where: { userId, kind: 'REVERT', expiresAt: { gte: expiresAt } } })
}

/** How e-mails are sent, and the name and the URL of this server in them. */
export type Mailing = {
  readonly mailer: Mailer
  readonly siteName: string
  readonly publicUrl: string
  readonly limits?: MailLimits | undefined
}

/** How many accounts of one address get an e-mail when a password reset is requested. */
const accountsOfAddress = 5

/** The link with a token, for e-mails and for the output of commands. */
export function linkOf(publicUrl: string, kind: EmailTokenKind, token: string): string {
  return `${publicUrl}/${emailLinks[kind].page}?token=${token}`
}

/** The subject and the paragraphs of an e-mail, and the kind of its link, if it has one. */
type Letter = {
  readonly subject: string
  readonly before: string
  readonly link?: EmailTokenKind
  readonly after: string
}

function letterOf(
  { about, email }: MailPayload,
  { username, emailVerified }: { readonly username: string; readonly emailVerified: boolean },
  site: string,
): Letter {
  const ignore = 'If you did not ask for this, ignore this e-mail.'
  switch (about) {
    case 'verification':
      return {
        subject: `Confirm your e-mail address for ${site}`,
        before: `Confirm that this is the e-mail address of the account @${username}:`,
        link: 'VERIFY',
        after: `The link works for ${emailLinks.VERIFY.lifetime}. ${ignore}`,
      }
    case 'change':
      return {
        subject: `Confirm your new e-mail address for ${site}`,
        before: `Confirm that this is the new e-mail address of the account @${username}:`,
        link: 'CHANGE',
        after: `The link works for ${emailLinks.CHANGE.lifetime}. ${ignore}`,
      }
    case 'notice': {
      const subject = `Your e-mail address for ${site} is about to change`
      const before = `Someone who knows the password of the account @${username} asked to change its e-mail address to ${email}.`
      // A stranger whose address was given by mistake must not get the account.
      if (!emailVerified) return { subject, before, after: 'Once that is confirmed, this address is no longer used.' }
      return {
        subject,
        before: `${before} If that was not you, open this link to keep this address, sign out all devices, and get an e-mail to set a new password:`,
        link: 'REVERT',
        after: `The link works for ${emailLinks.REVERT.lifetime}, even after the change.`,
      }
    }
    case 'recovery':
    case 'reset':
      return {
        subject: `Reset your password for ${site}`,
        before: `Set a new password for the account @${username}:`,
        link: 'RESET',
        after: `The link works once, for ${emailLinks.RESET.lifetime}. ${ignore}`,
      }
    case 'sign-in':
      return {
        subject: `New sign-in to ${site}`,
        before: `Someone has just signed in to the account @${username}.`,
        after: 'If that was not you, set a new password: that signs out all other devices.',
      }
  }
}

/** Adds the e-mails that reset the passwords of the accounts of an address. It may differ in the case of ASCII letters. */
async function addResets(database: Access, email: string): Promise<void> {
  await database.write.prisma.$transaction(async (transaction) => {
    const accounts = await transaction.$queryRaw<{ id: string }[]>`
      select id from users where lower(email) = lower(${email} collate "C") and suspended_at is null
      order by email_verified desc, id limit ${accountsOfAddress}::int`
    for (const { id } of accounts) await addMail(transaction, 'reset', { userId: id })
  })
}

/** Makes the token of the link of an e-mail. Undefined if the e-mail was cancelled meanwhile, by a transaction that held the account, too. */
function tokenFor(
  database: Access,
  { about, until, ...rest }: MailPayload,
  { kind, userId, email }: Pick<EmailToken, 'kind' | 'userId' | 'email'>,
): Promise<string | undefined> {
  return database.write.prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const isWaiting = await transaction.job.count({ where: { kind: 'send-mail', key: mailKey(about, rest) } })
    // Those of notices expire in the order of the changes, even if an e-mail is late.
    const expiresAt = about === 'notice' ? new Date(until) : undefined
    return isWaiting ? createEmailToken(transaction, { kind, userId, email, expiresAt }) : undefined
  })
}

/**
 * Sends an e-mail. Its link is made only now, since only the hash of a token is stored. What the mail server refuses for good, and what is
 * too much for a mailbox, is logged and not tried again. Throws a `MailError` for what is tried again.
 */
export async function sendMail(database: Access, mailing: Mailing, payload: MailPayload, log: Log): Promise<void> {
  const { mailer, siteName, publicUrl, limits } = mailing
  const { id, about, userId, until } = payload
  const { prisma } = database.write
  const mail = { mail: id, about, user: userId }
  if (Date.now() > until) return log.warn(mail, 'an e-mail was not sent in time')
  if (userId === undefined) return addResets(database, payload.email ?? '')
  const found = await prisma.user.findUnique({
    where: { id: userId },
    select: { username: true, email: true, emailVerified: true },
  })
  if (!found) return
  const account = { ...found, ...payload.recipient }
  const to = (about === 'change' && payload.email) || account.email
  const excess = await limits?.count(about, to)
  if (excess === 'domain') throw new MailError('The domain gets too many e-mails')
  if (excess === 'mailbox') return log.warn(mail, 'a mailbox gets too many e-mails')
  const { subject, before, link, after } = letterOf(payload, account, siteName)
  const token = link && (await tokenFor(database, payload, { kind: link, userId, email: to }))
  if (link && !token) return
  const paragraphs = [before, link && token && linkOf(publicUrl, link, token), after].filter((it) => it !== undefined)
  const text = `${[...paragraphs, `-- \n${siteName}, ${publicUrl}`].join('\n\n')}\n`
  try {
    await mailer.send({ id, to, subject, text })
  } catch (error) {
    if (!(error instanceof MailError) || !error.isPermanent) {
      await limits?.uncount(about, to)
      throw error
    }
    log.warn({ ...mail, err: error }, 'an e-mail was refused')
  }
}
