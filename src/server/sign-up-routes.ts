import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { answerOtherMethods, withHead } from '../engine/http/allowed-methods.ts'
import { acceptForms, fieldsOf, html } from '../engine/http/html.ts'
import { sendResponse } from '../engine/http/response.ts'
import { openAccount } from '../features/accounts/accounts.ts'
import { waitsForApproval } from '../features/accounts/admission.ts'
import { problemIn } from '../features/applications/oauth/form.ts'
import {
  answerOf,
  type Entered,
  type FormPage,
  messagePage,
  signUpPage,
} from '../features/applications/oauth/form-pages.ts'
import { signUpFields } from '../features/applications/oauth/interactions.ts'
import { refusedOr } from '../features/applications/oauth/sign-in.ts'
import { contactLink } from '../features/server-info/contact.ts'
import { formPrice } from './email-routes.ts'
import { formPageResponse } from './pages/pages.ts'
import type { ServerOptions } from './server-options.ts'

const url = '/sign-up'

/** The largest form, in bytes: that with a reason of 500 characters, each of which may take 12. */
const maxForm = 8_192

const query = z.object({ invitation: z.string().max(100).default('') })

/** What comes next for somebody who has signed up. */
function welcome(
  username: string,
  { waits, hasMail }: { readonly waits: boolean; readonly hasMail: boolean },
): FormPage {
  return {
    title: `Welcome, @${username}`,
    body: html`${hasMail ? html`<p>Check your inbox: an e-mail has a link that confirms your address.</p>` : undefined}
${
  waits
    ? html`<p>A moderator now decides about your account. ${hasMail ? 'You will get an e-mail.' : undefined} Until then, you can
  sign in and read, but nobody sees you, and you cannot write.</p>`
    : undefined
}
<p><a href="/timeline">Open the timeline</a> and sign in.</p>
${hasMail ? html`<p class="quiet">If you ever forget your password, <a href="/reset">set a new one</a>.</p>` : undefined}`,
  }
}

/** Adds the page where people sign up without an application. It works without scripts. */
export function addSignUpPage(scope: FastifyInstance, options: ServerOptions): void {
  const { admission, mail, contact } = options
  const mode = admission.signUp
  const closed = html`This server takes no new accounts. Ask ${contactLink(contact, 'its operator')}.`
  acceptForms(scope, maxForm)

  const form = (entered: Entered = {}): FormPage =>
    mode === 'closed'
      ? { ...messagePage('Sign-up is closed', closed), ...answerOf(entered.problem) }
      : signUpPage({ action: url, signIn: '/timeline', mode }, entered)

  const methods = withHead('GET')
  scope.route({
    method: methods,
    url,
    handler: async (request, reply) => {
      request.budget?.chargeNothing()
      const { data } = query.safeParse(request.query)
      return sendResponse(reply, await formPageResponse(form(data), options))
    },
  })
  scope.post(url, async (request, reply) => {
    await request.budget?.charge(formPrice)
    const entered = signUpFields.parse(fieldsOf(request.body))
    const waits = waitsForApproval(admission, entered)
    const done = await refusedOr(request, () =>
      openAccount(options, entered, request.address, async () => ({ hasMail: mail !== undefined, waits })),
    )
    const page =
      'refusal' in done ? form({ ...entered, problem: problemIn(done.refusal) }) : welcome(entered.username, done)
    return sendResponse(reply, await formPageResponse(page, options))
  })
  answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
}
