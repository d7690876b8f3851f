import { newToken } from '../../../engine/auth/viewers.ts'
import type { Client } from '../../../engine/data/client.ts'
import type { Appeal } from '../../../engine/data/generated/prisma/client.ts'
import { html } from '../../../engine/http/html.ts'
import { findSuspended, type Suspended } from '../../accounts/restrictions.ts'
import { appealBounds } from '../../base/bounds.ts'
import { contactLink } from '../../server-info/contact.ts'
import { formMarkup, type Problem, problemText } from './form.ts'
import { answerOf, type FormPage, shortDate } from './form-pages.ts'
import { Records } from './records.ts'

/** The sessions that can do nothing but appeal, and how long one lasts, in seconds. */
const sessionsIn = (client: Client) => new Records('AppealSession', client)
const lifetime = 3_600

/** The account of a session that can appeal; undefined if it has ended. */
export async function accountOfAppealSession(client: Client, session: string): Promise<string | undefined> {
  return (await sessionsIn(client).find(session))?.accountId
}

/** What the page depends on: a session that can appeal, whom people can write to, and what was entered if that was refused. */
type Options = {
  readonly session: string
  readonly contact: string | undefined
  readonly text?: string
  readonly problem?: Problem
}

const appealForm = ({ session, text, problem }: Options) =>
  formMarkup({
    action: '/appeal',
    problem,
    hidden: { session },
    hasNoFocus: true,
    parts: [
      {
        name: 'text',
        label: 'Why should the suspension end?',
        value: text,
        rows: 6,
        attributes: html`maxlength="${String(appealBounds.max)}"`,
        isRequired: true,
      },
    ],
    button: 'Appeal',
  })

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
  options: Options,
): Promise<FormPage> {
  const { contact, problem } = options
  const where = { userId, createdAt: { gte: since } }
  const appeal = await client.appeal.findFirst({ where, orderBy: { id: 'desc' } })
  return {
    title: 'Your account is suspended',
    body: html`<p>Your account <strong>@${username}</strong> has been suspended since ${shortDate(since)}.</p>
${reason === null ? undefined : html`<p>The reason:</p>\n<blockquote>${reason}</blockquote>`}
<p>If you have questions, contact ${contactLink(contact, contact ?? 'the operator of this server')}.</p>
${appeal ? appealText(appeal) : undefined}
${appeal?.state === 'OPEN' ? problemText(problem?.message) : appealForm(options)}`,
    ...answerOf(problem),
  }
}

/** The page for somebody who has signed in to an account, if that is suspended, with a session that can do nothing but appeal. */
export async function pageOfSuspended(
  transaction: Client,
  userId: string,
  contact: string | undefined,
): Promise<FormPage | undefined> {
  const suspended = await findSuspended(transaction, userId)
  if (!suspended) return undefined
  const session = newToken()
  await sessionsIn(transaction).upsert(session, { accountId: userId }, lifetime)
  return { ...(await suspendedPage(transaction, suspended, { session, contact })), status: 403 }
}
