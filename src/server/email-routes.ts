import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { prices } from '../engine/compiler/cost.ts'
import { Refusal } from '../engine/errors.ts'
import { answerOtherMethods, withHead } from '../engine/http/allowed-methods.ts'
import { acceptForms, fieldsOf, html } from '../engine/http/html.ts'
import { sendResponse } from '../engine/http/response.ts'
import { requestPasswordReset, resetPassword, verifyEmail } from '../features/accounts/email.ts'
import { formMarkup, type Problem, problemIn } from '../features/applications/oauth/form.ts'
import {
  codeField,
  emailField,
  type FormPage,
  messagePage,
  newPasswordField,
} from '../features/applications/oauth/form-pages.ts'
import { emailLinks } from '../features/mail/links.ts'
import { contactLink } from '../features/server-info/contact.ts'
import { formPageResponse } from './pages/pages.ts'
import type { ServerOptions } from './server-options.ts'

const askForm = (problem?: Problem) =>
  formMarkup({ ...problem, action: '/reset', parts: [emailField()], button: 'Send link' })

const broken = 'It has expired, has already been used, or is incomplete.'

/** The pages that links in e-mails open, and the page that requests such a link. */
const emailPages = {
  verify: (token: string): FormPage => ({
    title: 'Confirm your e-mail address',
    body: formMarkup({ action: '/verify', hidden: { token }, parts: [], button: 'Confirm' }),
  }),
  verified: messagePage('Your e-mail address has been confirmed', 'You can close this page.'),
  unusable: {
    title: 'This link does not work',
    body: html`<p>${broken} Request a new one in your app.</p>
<p>If you think that somebody else has access to your account, <a href="/reset">set a new password</a>.</p>`,
  },
  ask: (problem?: Problem): FormPage => ({
    title: 'Reset your password',
    body: html`<p>Enter the e-mail address of your account to get a link for setting a new password.</p>\n${askForm(problem)}`,
  }),
  asked: messagePage(
    'Check your inbox',
    'If there is an account with this address, an e-mail with a link is on its way. The link works for ' +
      `${emailLinks.RESET.lifetime}. If you cannot find the e-mail, check your spam folder.`,
  ),
  noMail: (contact: string | undefined) =>
    messagePage(
      'This server sends no e-mail',
      html`Ask ${contactLink(contact, 'its operator')} for a link to set a new password.`,
    ),
  reset: (token: string, problem?: Problem): FormPage => ({
    title: 'Set a new password',
    body: formMarkup({
      ...problem,
      action: '/reset',
      hidden: { token },
      parts: [newPasswordField('New password'), codeField('Code of your second factor, if you have set one up')],
      button: 'Set password',
    }),
  }),
  expired: {
    title: 'This link does not work',
    body: html`<p>${broken} Request a new one:</p>\n${askForm()}`,
  },
  done: messagePage('Your password has been changed', 'All devices are signed out. Sign in with your new password.'),
}

/** The largest form, in bytes. */
const maxForm = 4_096

/** What a form costs: as much as the mutation that does the same. */
export const formPrice = prices.statement + prices.mutation

/** A token. A link that was copied from a text may end in punctuation of that text. */
const token = z
  .string()
  .regex(/^\s*rookery_[\w-]{43}(?:[^\w-]|$)/)
  .transform((text) => text.trim().slice(0, 'rookery_'.length + 43))

const verification = z.object({ token })
const reset = z.object({
  token,
  password: z.string(),
  code: z
    .string()
    .transform((entered) => entered || undefined)
    .optional(),
})
const request = z.object({ email: z.string().trim() })

const { verified, unusable, asked, noMail, expired, done } = emailPages

const refused = (page: FormPage): FormPage => ({ ...page, status: 422 })

/** The refusals that a page shows, so that people can correct what they have entered. */
const shown = new Set(['VALIDATION_FAILED', 'SECOND_FACTOR_REQUIRED'])

/** The page after work, or another one if that was refused. */
async function after(
  work: Promise<unknown>,
  success: FormPage,
  failure: (refusal: Refusal) => FormPage,
): Promise<FormPage> {
  try {
    await work
    return success
  } catch (error) {
    if (!(error instanceof Refusal) || !shown.has(error.code)) throw error
    return refused(failure(error))
  }
}

/** The page after a new password was refused: the form again, unless the link does not work. */
function failedReset(token: string, refusal: Refusal): FormPage {
  const isOver = refusal.details.errors?.some(({ field }) => field === 'token')
  return isOver ? expired : emailPages.reset(token, problemIn(refusal))
}

/**
 * Adds the pages that links in e-mails open, and the page that requests one. Only their forms change anything, because some mail
 * servers open all links.
 */
export async function addEmailPages(scope: FastifyInstance, options: ServerOptions): Promise<void> {
  acceptForms(scope, maxForm)

  /** Forgets the tokens of an account, which may have been revoked. */
  const forgetTokens = async (account: Promise<string>) => options.viewers.forget(await account)

  async function verify({ body }: FastifyRequest): Promise<FormPage> {
    const { data } = verification.safeParse(fieldsOf(body))
    if (!data) return refused(unusable)
    return after(forgetTokens(verifyEmail(options.database, data.token)), verified, () => unusable)
  }

  async function setPassword({ body, address }: FastifyRequest): Promise<FormPage> {
    const { data } = reset.safeParse(fieldsOf(body))
    if (!data) return refused(expired)
    return after(forgetTokens(resetPassword(options, data, address)), done, (it) => failedReset(data.token, it))
  }

  async function resetOrAsk(sent: FastifyRequest): Promise<FormPage> {
    const { data } = request.safeParse(fieldsOf(sent.body))
    if (!data) return setPassword(sent)
    if (!options.mail) return refused(noMail(options.contact))
    const work = requestPasswordReset(options, data.email, sent.address)
    return after(work, asked, (refusal) => emailPages.ask(problemIn(refusal)))
  }

  /** Adds a page: what it shows for the token of a link, or without one, and what its form does. */
  function add(
    url: string,
    shown: (token: string) => FormPage,
    without: (hasToken: boolean) => FormPage,
    submit: (sent: FastifyRequest) => Promise<FormPage>,
  ): void {
    const methods = withHead('GET')
    scope.route({
      method: methods,
      url,
      handler: async ({ query, budget }, reply) => {
        budget?.chargeNothing()
        const { data } = verification.safeParse(query)
        const page = data ? shown(data.token) : without(Object(query).token !== undefined)
        return sendResponse(reply, await formPageResponse(page, options))
      },
    })
    scope.post(url, async (sent, reply) => {
      await sent.budget?.charge(formPrice)
      const page = await submit(sent)
      if (page.status === 422) sent.logEntry.report({ code: 'VALIDATION_FAILED' })
      return sendResponse(reply, await formPageResponse(page, options))
    })
    answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
  }

  add('/verify', emailPages.verify, () => unusable, verify)
  const askPage = options.mail ? emailPages.ask() : noMail(options.contact)
  add('/reset', emailPages.reset, (hasToken) => (hasToken ? expired : askPage), resetOrAsk)
}
