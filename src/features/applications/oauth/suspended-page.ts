import type { Client } from '../../../engine/data/client.ts'
import type { Appeal } from '../../../engine/data/generated/prisma/client.ts'
import { html } from '../../../engine/http/html.ts'
import { issueToken } from '../../accounts/access-tokens.ts'
import { findSuspended, type Suspended } from '../../accounts/restrictions.ts'
import { appealBounds } from '../../base/bounds.ts'
import { contactLink } from '../../server-info/contact.ts'
import { type Entered, type FormPage, problemText, shortDate } from './form-pages.ts'

/** How long the page lets somebody write an appeal, in milliseconds. */
const timeToWrite = 3_600_000

/** The scopes that appealing requires. */
export const appealScopes = ['account.manage'] as const

/** What the page depends on: a token of the account, whom people can write to, and what was entered if that was refused. */
type Options = Pick<Entered, 'problem'> & {
  readonly token: string
  readonly contact: string | undefined
  readonly text?: string
}

const appealForm = (token: string, { problem, text }: Pick<Options, 'problem' | 'text'>) =>
  html`<form method="post" action="/appeal"><input type="hidden" name="token" value="${token}">
<p><label>Why should the suspension end? <textarea name="text" rows="6" maxlength="${String(appealBounds.max)}"
  required>${text}</textarea></label></p>
${problemText(problem)}
<p><button>Appeal</button></p></form>`

const appealText = ({
  text,
  createdAt,
  answer,
  answeredAt,
}: Appeal) => html`<p>On ${shortDate(createdAt)}, you appealed:</p>
<blockquote>${text}</blockquote>
${
  answeredAt === null
    ? html`<p>No moderator has answered yet. To see the answer, sign in again.</p>`
    : html`<p>On ${shortDate(answeredAt)}, the moderators answered:</p>
<blockquote>${answer ?? ''}</blockquote>`
}`

/** The page on which the owner of a suspended account can appeal. */
export async function suspendedPage(
  client: Client,
  { id: userId, username, since, reason }: Suspended,
  { token, contact, ...entered }: Options,
): Promise<FormPage> {
  const where = { userId, createdAt: { gte: since } }
  const appeal = await client.appeal.findFirst({ where, orderBy: { id: 'desc' } })
  return {
    title: 'Your account is suspended',
    body: html`<p>Your account <strong>@${username}</strong> has been suspended since ${shortDate(since)}.</p>
${reason === null ? undefined : html`<p>The reason:</p>\n<blockquote>${reason}</blockquote>`}
<p>If you have questions, contact ${contactLink(contact, contact ?? 'the operator of this server')}.</p>
${appeal ? appealText(appeal) : undefined}
${appeal?.state === 'OPEN' ? undefined : appealForm(token, entered)}`,
    status: entered.problem ? 422 : 200,
  }
}

/** The page for somebody who has signed in to an account, if that is suspended, with a token to appeal instead of a session. */
export async function pageOfSuspended(
  transaction: Client,
  userId: string,
  contact: string | undefined,
): Promise<FormPage | undefined> {
  const suspended = await findSuspended(transaction, userId)
  if (!suspended) return undefined
  const expiresAt = new Date(Date.now() + timeToWrite)
  const { token } = await issueToken(transaction, { userId, name: 'Appeal', scopes: [...appealScopes], expiresAt })
  return { ...(await suspendedPage(transaction, suspended, { token, contact })), status: 403 }
}
