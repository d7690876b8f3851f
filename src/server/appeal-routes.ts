import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerOtherMethods, withHead } from '../engine/http/allowed-methods.ts'
import { acceptForms, fieldsOf, html } from '../engine/http/html.ts'
import { sendResponse } from '../engine/http/response.ts'
import { findSuspended } from '../features/accounts/restrictions.ts'
import { problemIn } from '../features/applications/oauth/form.ts'
import { type FormPage, messagePage } from '../features/applications/oauth/form-pages.ts'
import { refusedOr } from '../features/applications/oauth/sign-in.ts'
import { accountOfAppealSession, suspendedPage } from '../features/applications/oauth/suspended-page.ts'
import { sendAppeal } from '../features/moderation/appeals.ts'
import { formPrice } from './email-routes.ts'
import { formPageResponse } from './pages/pages.ts'
import type { ServerOptions } from './server-options.ts'

const url = '/appeal'

/** The largest form, in bytes: that with a text of 1,000 characters, each of which may take 12. */
const maxForm = 16_384

const fields = z.object({ session: z.string().default(''), text: z.string().default('') })

const signInPage: FormPage = {
  title: 'Appeal',
  body: html`<p>To appeal against the suspension of your account, <a href="/oauth/connections">sign in</a>.</p>`,
}

/** The page for an appeal that nobody can send any more. */
const tooLatePage = (text: string): FormPage => ({
  title: 'Appeal',
  body: html`<p>This page was open for too long. Copy your text, <a href="/oauth/connections">sign in</a> again and send it.</p>
<blockquote>${text}</blockquote>`,
})

const endedPage = messagePage('Your account is not suspended', 'The suspension has ended. You can sign in again.')

/** Adds what the page of a suspended account sends an appeal to. It works without scripts. */
export function addAppealPage(scope: FastifyInstance, options: ServerOptions): void {
  const { database, contact } = options
  const { prisma } = database.write
  acceptForms(scope, maxForm)

  const methods = withHead('GET')
  scope.route({
    method: methods,
    url,
    handler: async ({ budget }, reply) => {
      budget?.chargeNothing()
      return sendResponse(reply, await formPageResponse(signInPage, options))
    },
  })
  scope.post(url, async (request, reply) => {
    await request.budget?.charge(formPrice)
    const { session, text } = fields.parse(fieldsOf(request.body))
    const userId = await accountOfAppealSession(prisma, session)
    if (userId === undefined) {
      request.logEntry.report({ code: 'UNAUTHENTICATED' })
      const page = text.trim() === '' ? signInPage : tooLatePage(text)
      return sendResponse(reply, await formPageResponse({ ...page, status: 422 }, options))
    }
    const done = await refusedOr(request, async () => ({ id: await sendAppeal(database, { id: userId }, text) }))
    const suspended = await findSuspended(prisma, userId)
    const entered = 'refusal' in done ? { problem: problemIn(done.refusal), text } : {}
    const page = suspended ? await suspendedPage(prisma, suspended, { session, contact, ...entered }) : endedPage
    return sendResponse(reply, await formPageResponse(page, options))
  })
  answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
}
