import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import type { EmailTokenKind } from '../data/generated/prisma/enums.ts'
import { MailError, type Mailer } from '../data/mailer.ts'
import type { Log } from '../log.ts'
import { createEmailToken, emailLinks } from './email-tokens.ts'
import { addJob } from './jobs.ts'
import type { MailLimits } from './mail-limits.ts'
import { type MailPayload, type Topic, topics } from './mail-topics.ts'
import { newId } from './new-id.ts'

/** The key of the job of a mail. */
export const mailKey = (about: Topic, { userId, email }: Pick<MailPayload, 'userId' | 'email'>) =>
  `${about} ${userId ?? email}`

/** Sends a mail soon, in the transaction of its cause, unless one about the same waits already. */
export async function addMail(client: Client, about: Topic, to: Pick<MailPayload, 'userId' | 'email'>): Promise<void> {
  const payload = { id: newId(), about, ...to, until: Date.now() + topics[about] * 1_000 }
  await addJob(client, 'send-mail', payload, { key: mailKey(about, to) })
}

/** How mails are sent, and the name and the address of this server in them. */
export type Mailing = {
  readonly mailer: Mailer
  readonly siteName: string
  readonly publicUrl: string
  readonly limits?: MailLimits | undefined
}

/** For how many accounts of one address a new password can be asked at once. */
const accountsOfAddress = 5

const units = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'minutes'],
] as const

/** For how long a link works, in words. */
function timeOf(kind: EmailTokenKind): string {
  const { seconds } = emailLinks[kind]
  const [unit, name] = units.find(([length]) => seconds >= 2 * length || length === 60) ?? [1, 'seconds']
  return `${seconds / unit} ${name}`
}

/** The link of a token, as it stands in mails and in the output of commands. */
export function linkOf(publicUrl: string, kind: EmailTokenKind, token: string): string {
  return `${publicUrl}/${emailLinks[kind].page}?token=${token}`
}

/** The subject and the paragraphs of a mail, and the kind of its link, if it has one. */
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
  const ignore = 'If that was not you, ignore this mail.'
  switch (about) {
    case 'verification':
      return {
        subject: `Confirm your e-mail address for ${site}`,
        before: `Confirm that this is the e-mail address of the account @${username}:`,
        link: 'VERIFY',
        after: `The link works for ${timeOf('VERIFY')}. ${ignore}`,
      }
    case 'change':
      return {
        subject: `Confirm your new e-mail address for ${site}`,
        before: `Confirm that this is the new e-mail address of the account @${username}:`,
        link: 'CHANGE',
        after: `The link works for ${timeOf('CHANGE')}. ${ignore}`,
      }
    case 'notice': {
      const subject = `Your e-mail address for ${site} is about to change`
      const before = `Somebody who knows the password of the account @${username} wants to change its e-mail address to ${email}.`
      // A stranger whose address was given by mistake must not get the account.
      if (!emailVerified) return { subject, before, after: 'This address is then no longer used.' }
      return {
        subject,
        before: `${before} If that was not you, keep this address, sign everybody out and set a new password:`,
        link: 'REVERT',
        after: `The link works for ${timeOf('REVERT')}, also after the change.`,
      }
    }
    case 'reset':
      return {
        subject: `Set a new password for ${site}`,
        before: `Set a new password of the account @${username}:`,
        link: 'RESET',
        after: `The link works once, for ${timeOf('RESET')}. If you did not ask for it, ignore this mail.`,
      }
    case 'sign-in':
      return {
        subject: `A new sign-in to ${site}`,
        before: `Somebody has just signed in to the account @${username}.`,
        after: 'If that was not you, set a new password: that signs everybody else out.',
      }
  }
}

/** Adds the mails to the accounts of an address, whose passwords somebody has forgotten. */
async function addResets(database: Access, email: string): Promise<void> {
  await database.write.prisma.$transaction(async (transaction) => {
    const accounts = await transaction.$queryRaw<{ id: string }[]>`
      select id from users where lower(email) = lower(${email}) and suspended_at is null
      order by email_verified desc, id limit ${accountsOfAddress}::int`
    for (const { id } of accounts) await addMail(transaction, 'reset', { userId: id })
  })
}

/**
 * Sends a mail with a link that is made for it, since only the hash of its token is stored. What the mail server refuses for good, and what a
 * mailbox has too many of, is logged and not tried again. Throws a `MailError` for what is tried again.
 */
export async function sendMail(database: Access, mailing: Mailing, payload: MailPayload, log: Log): Promise<void> {
  const { mailer, siteName, publicUrl, limits } = mailing
  const { id, about, userId, until } = payload
  const { prisma } = database.write
  const mail = { mail: id, about, user: userId }
  if (Date.now() > until) return log.warn(mail, 'a mail was not sent in time')
  if (userId === undefined) return addResets(database, payload.email ?? '')
  const account = await prisma.user.findUnique({
    where: { id: userId },
    select: { username: true, email: true, emailVerified: true },
  })
  if (!account) return
  const to = (about === 'change' && payload.email) || account.email
  const excess = await limits?.send(about, to)
  if (excess === 'domain') throw new MailError('The domain gets too many mails')
  if (excess === 'mailbox') return log.warn(mail, 'a mailbox gets too many mails')
  const { subject, before, link, after } = letterOf(payload, account, siteName)
  const token = link && (await createEmailToken(prisma, { kind: link, userId, email: to }))
  const paragraphs = [before, link && token && linkOf(publicUrl, link, token), after].filter((it) => it !== undefined)
  const text = `${[...paragraphs, `-- \n${siteName}, ${publicUrl}`].join('\n\n')}\n`
  try {
    await mailer.send({ id, to, subject, text })
  } catch (error) {
    if (!(error instanceof MailError) || !error.isPermanent) {
      await limits?.takeBack(about, to)
      throw error
    }
    log.warn({ ...mail, err: error }, 'a mail was refused')
  }
}
