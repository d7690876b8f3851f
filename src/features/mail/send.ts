import type { Access } from '../../engine/data/database.ts'
import type { EmailTokenKind } from '../../engine/data/generated/prisma/enums.ts'
import type { Log } from '../../engine/log.ts'
import { lockAccount } from '../base/lock-account.ts'
import { isWaiting, type MailPayload, type Topic } from './jobs.ts'
import type { MailLimits } from './limits.ts'
import { createEmailToken, emailLinks, linkOf } from './links.ts'
import { MailError, type Mailer } from './mailer.ts'

/** The name and the URL of this server in e-mails. */
type Sender = { readonly siteName: string; readonly publicUrl: string }

/** The subject and the paragraphs of an e-mail, and the kind of its link, which stands between them, if it has one. */
type MailText = {
  readonly subject: string
  readonly before: string
  readonly link?: EmailTokenKind
  readonly after: string
}

type Write = (mail: MailPayload, sender: Sender) => MailText

const ignore = 'If you did not request this, ignore this e-mail.'

const resetText: Write = ({ username }, { siteName }) => ({
  subject: `Reset your password for ${siteName}`,
  before: `Set a new password for the account @${username}:`,
  link: 'RESET',
  after: `The link works once, for ${emailLinks.RESET.lifetime}. ${ignore}`,
})

const timeOf = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** A notice of what was done to an account, with the page where its owner can request a link to set a new password. */
const notice =
  (title: string, what: (mail: MailPayload) => string): Write =>
  (mail, { siteName, publicUrl }) => ({
    subject: `${title} for ${siteName}`,
    before: `${what(mail)} (${timeOf(mail.at)})`,
    after: `If this was not you, set a new password. This signs out all devices: ${publicUrl}/reset`,
  })

// What a text says comes from here: of what users give, only usernames and quoted addresses in their canonical form are part of it, and of
// what moderators give, their reasons.
const mailTexts: Readonly<Record<Topic, Write>> = {
  verification: ({ username }, { siteName }) => ({
    subject: `Confirm your e-mail address for ${siteName}`,
    before: `Confirm that this is the e-mail address of the account @${username}:`,
    link: 'VERIFY',
    after: `The link works for ${emailLinks.VERIFY.lifetime}. ${ignore}`,
  }),
  'new-address': ({ username }, { siteName }) => ({
    subject: `Confirm your new e-mail address for ${siteName}`,
    before: `Confirm that this is the new e-mail address of the account @${username}:`,
    link: 'CHANGE',
    after: `The link works for ${emailLinks.CHANGE.lifetime}. ${ignore}`,
  }),
  reset: resetText,
  recovery: resetText,
  'address-notice': ({ username, changedTo, at }, { siteName }) => ({
    subject: `Your e-mail address for ${siteName} is about to change`,
    before:
      `Someone who knows the password of the account @${username} asked to change its e-mail address to ` +
      `"${changedTo}" (${timeOf(at)}). If this was not you, open this link. It keeps this address, signs ` +
      'out all devices, and sends you an e-mail to set a new password:',
    link: 'REVERT',
    after: `The link works for ${emailLinks.REVERT.lifetime}, even after the change.`,
  }),
  'sign-in-notice': notice('New sign-in', ({ username }) => `Someone signed in to the account @${username}.`),
  'password-notice': notice('New password', ({ username }) => `The password of the account @${username} was changed.`),
  'username-notice': notice(
    'New username',
    ({ username, changedTo }) => `The username of the account @${username} was changed to @${changedTo}.`,
  ),
  'token-notice': notice(
    'New access token',
    ({ username }) =>
      `Someone created a token that can manage or export the account @${username}, or moderate with it.`,
  ),
  'application-notice': notice(
    'New connected application',
    ({ username }) =>
      `Someone connected an application that can manage or export the account @${username}, or moderate with it.`,
  ),
  'appeal-notice': ({ username, at }, { siteName, publicUrl }) => ({
    subject: `The answer to your appeal to ${siteName}`,
    before: `The moderators have answered the appeal of the account @${username}. (${timeOf(at)})`,
    after: `Sign in to read the answer: ${publicUrl}/timeline`,
  }),
  'second-factor-notice': ({ username, at }, { siteName }) => ({
    subject: `New second factor for ${siteName}`,
    before: `Someone who knows the password of the account @${username} gave it a second factor. (${timeOf(at)})`,
    after: 'From now on, signing in needs a code. If this was not you, ask the operator of the server to remove it.',
  }),
  'second-factor-removal-notice': notice(
    'Second factor removed',
    ({ username }) => `The second factor of the account @${username} was removed.`,
  ),
  'recovery-codes-notice': notice(
    'New recovery codes',
    ({ username }) => `The recovery codes of the account @${username} were replaced.`,
  ),
  'passkey-notice': notice('New passkey', ({ username }) => `A passkey was added to the account @${username}.`),
  'passkey-removal-notice': notice(
    'Passkey removed',
    ({ username }) => `A passkey of the account @${username} was removed.`,
  ),
  approval: ({ username }, { siteName, publicUrl }) => ({
    subject: `Your account on ${siteName} was approved`,
    before: `A moderator approved the account @${username}. You can now post, reply and follow:`,
    after: `${publicUrl}/timeline`,
  }),
  rejection: ({ username, reason = '' }, { siteName }) => ({
    subject: `Your account on ${siteName} was rejected`,
    before: `A moderator rejected the account @${username}, for this reason:`,
    after: `${reason}\n\nThe account and its data are being erased.`,
  }),
  'deletion-notice': ({ username, at, finalAt = at }, { siteName, publicUrl }) => ({
    subject: `Your account on ${siteName} was deleted`,
    before: `Someone who knows the password of the account @${username} deleted it. (${timeOf(at)})`,
    after:
      finalAt > at
        ? `To cancel the deletion, sign in before ${timeOf(finalAt)}. If this was not you, set a new password first: ${publicUrl}/reset`
        : 'Its data is being erased. This cannot be undone.',
  }),
}

/** The kind of the link in an e-mail on this topic, if it has one. */
function linkIn(mail: MailPayload, sender: Sender): EmailTokenKind | undefined {
  return mailTexts[mail.topic](mail, sender).link
}

/** The subject and the text of an e-mail, with the token of its link if it has one. */
function mailTextOf(mail: MailPayload, sender: Sender, token?: string): { subject: string; text: string } {
  const { subject, before, link, after } = mailTexts[mail.topic](mail, sender)
  const url = link && token && linkOf(sender.publicUrl, link, token)
  const paragraphs = [before, url, after, `-- \n${sender.siteName}, ${sender.publicUrl}`]
  return { subject, text: `${paragraphs.filter((it) => it !== undefined).join('\n\n')}\n` }
}

/** How e-mails are sent. */
export type Mailing = Sender & { readonly mailer: Mailer; readonly limits?: MailLimits | undefined }

/**
 * Makes the token of the link of an e-mail. Undefined if the e-mail was cancelled, by a transaction that held the account too, or if the
 * account is gone or has another address than the link is for.
 */
function tokenFor(database: Access, mail: MailPayload, kind: NonNullable<ReturnType<typeof linkIn>>) {
  const { topic, userId, to, until } = mail
  return database.write.prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const isOfCurrent = kind === 'VERIFY' || kind === 'RESET'
    const where = { id: userId, ...(isOfCurrent && { email: to }) }
    if (!(await isWaiting(transaction, mail)) || (await transaction.user.count({ where })) === 0) return undefined
    // Those of notices expire in the order of the changes, even if an e-mail is late.
    const expiresAt = topic === 'address-notice' ? new Date(until) : undefined
    return createEmailToken(transaction, { kind, userId, email: to, expiresAt })
  })
}

/**
 * Sends an e-mail. Its link is made only now, since only the hash of a token is stored. What the mail server refuses for good is logged and
 * not tried again. Returns in how many seconds to try again, if it has to wait for others. Throws a `MailError` for what failed.
 */
export async function sendMail(
  database: Access,
  mailing: Mailing,
  payload: MailPayload,
  log: Log,
): Promise<number | undefined> {
  const { mailer, limits } = mailing
  const { id, topic, userId, to, until } = payload
  const mail = { mail: id, topic, user: userId }
  if (Date.now() > until) {
    log.warn(mail, 'an e-mail was not sent in time')
    return undefined
  }
  const turn = await limits?.take(payload)
  if (turn && turn.wait > 0) {
    log.info(mail, 'an e-mail waits, since there are too many')
    return turn.wait
  }
  try {
    const link = linkIn(payload, mailing)
    const token = link && (await tokenFor(database, payload, link))
    if (!link || token) await mailer.send({ id, to, ...mailTextOf(payload, mailing, token) })
  } catch (error) {
    if (!(error instanceof MailError) || !error.isPermanent) {
      await turn?.takeBack()
      throw error
    }
    log.warn({ ...mail, err: error }, 'an e-mail was refused')
  }
  return undefined
}
