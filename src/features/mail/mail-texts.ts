import type { EmailTokenKind } from '../../engine/data/generated/prisma/enums.ts'
import { emailLinks, linkOf } from './links.ts'
import type { MailPayload, Topic } from './topics.ts'

/** The name and the URL of this server in e-mails. */
export type Sender = { readonly siteName: string; readonly publicUrl: string }

/** The subject and the paragraphs of an e-mail, and the kind of its link, which stands between them, if it has one. */
type MailText = {
  readonly subject: string
  readonly before: string
  readonly link?: EmailTokenKind
  readonly after: string
}

type Write = (mail: MailPayload, sender: Sender) => MailText

const ignore = 'If you did not ask for this, ignore this e-mail.'

const resetText: Write = ({ username }, { siteName }) => ({
  subject: `Reset your password for ${siteName}`,
  before: `Set a new password for the account @${username}:`,
  link: 'RESET',
  after: `The link works once, for ${emailLinks.RESET.lifetime}. ${ignore}`,
})

const timeOf = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** A notice of what was done to an account, with the page on which its owner gets a link to set a new password. */
const notice =
  (title: string, what: (mail: MailPayload) => string): Write =>
  (mail, { siteName, publicUrl }) => ({
    subject: `${title} for ${siteName}`,
    before: `${what(mail)} (${timeOf(mail.at)})`,
    after: `If that was not you, set a new password, which signs out all devices: ${publicUrl}/reset`,
  })

// What a text says comes from here: of what users give, only usernames and quoted addresses in their canonical form are part of it.
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
    before: `Someone who knows the password of the account @${username} asked to change its e-mail address to "${changedTo}" (${timeOf(at)}). If that was not you, open this link to keep this address, sign out all devices, and get an e-mail to set a new password:`,
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
    ({ username }) => `A token was created that can manage, export or moderate with the account @${username}.`,
  ),
  'application-notice': notice(
    'New connected application',
    ({ username }) => `An application was connected that can manage, export or moderate with the account @${username}.`,
  ),
  'deletion-notice': ({ username, at, finalAt = at }, { siteName, publicUrl }) => ({
    subject: `Your account on ${siteName} was deleted`,
    before: `Someone who knows the password of the account @${username} deleted it. (${timeOf(at)})`,
    after:
      finalAt > at
        ? `Until ${timeOf(finalAt)}, signing in takes that back. If that was not you, set a new password before: ${publicUrl}/reset`
        : 'It is being erased, which cannot be undone.',
  }),
}

/** The kind of the link in an e-mail on this topic, if it has one. */
export function linkIn(mail: MailPayload, sender: Sender): EmailTokenKind | undefined {
  return mailTexts[mail.topic](mail, sender).link
}

/** The subject and the text of an e-mail, with the token of its link if it has one. */
export function mailTextOf(mail: MailPayload, sender: Sender, token?: string): { subject: string; text: string } {
  const { subject, before, link, after } = mailTexts[mail.topic](mail, sender)
  const url = link && token && linkOf(sender.publicUrl, link, token)
  const paragraphs = [before, url, after, `-- \n${sender.siteName}, ${sender.publicUrl}`]
  return { subject, text: `${paragraphs.filter((it) => it !== undefined).join('\n\n')}\n` }
}
