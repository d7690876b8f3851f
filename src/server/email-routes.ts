import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { prices } from '../engine/compiler/cost.ts'
import type { Refusal } from '../engine/errors.ts'
import { answerOtherMethods, withHead } from '../engine/http/allowed-methods.ts'
import { acceptForms, fieldsOf, html } from '../engine/http/html.ts'
import { sendResponse } from '../engine/http/response.ts'
import { requestPasswordReset, resetPassword, verifyEmail } from '../features/accounts/email.ts'
import { formMarkup, names, type Problem, problemIn } from '../features/applications/oauth/form.ts'
import {
  answerOf,
  codeField,
  emailField,
  type FormPage,
  messagePage,
  newPasswordField,
} from '../features/applications/oauth/form-pages.ts'
import { refusedOr } from '../features/applications/oauth/sign-in.ts'
import { emailLinks } from '../features/mail/links.ts'
import { contactLink } from '../features/server-info/contact.ts'
import { formPageResponse } from './pages/pages.ts'
import type { ServerOptions } from './server-options.ts'

const askForm = (problem?: Problem) =>
  formMarkup({ action: '/reset', problem, parts: [emailField()], button: 'Send link' })

const resetCode = { ...codeField, label: 'Code of your second factor, if you have set one up', isRequired: false }

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
      action: '/reset',
      problem,
      hidden: { token },
      parts: [newPasswordField('New password'), resetCode],
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

const query = z.object({ token })

/** What the forms send. No link has the empty token. */
const link = token.catch('')
const sentTo = {
  verify: z.object({ token: link }),
  reset: z.object({
    token: link,
    password: z.string().default(''),
    code: z
      .string()
      .transform((entered) => entered || undefined)
      .optional(),
  }),
  ask: z.object({ email: z.string().trim().optional() }),
}

const { verified, unusable, asked, noMail, expired, done } = emailPages

/** The page after work that a form asks for, or another one if that was refused. */
async function pageAfter(
  sent: FastifyRequest,
  work: () => Promise<unknown>,
  success: FormPage,
  failure: (refusal: Refusal) => FormPage,
): Promise<FormPage> {
  const done = await refusedOr(sent, async () => {
    await work()
    return success
  })
  return 'refusal' in done ? { ...failure(done.refusal), ...answerOf(problemIn(done.refusal)) } : done
}

/** The page after a new password was refused: the form again, unless the link does not work. */
function failedReset(token: string, refusal: Refusal): FormPage {
  return names(refusal, 'token') ? expired : emailPages.reset(token, problemIn(refusal))
}

/**
 * Adds the pages that links in e-mails open, and the page that requests one. Only their forms change anything, because some mail
 * servers open all links.
 */
export async function addEmailPages(scope: FastifyInstance, options: ServerOptions): Promise<void> {
  acceptForms(scope, maxForm)

  /** Forgets the tokens of an account, which may have been revoked. */
  const forgetTokens = async (account: Promise<string>) => options.viewers.forget(await account)

  function verify(sent: FastifyRequest): Promise<FormPage> {
    const { token } = sentTo.verify.parse(fieldsOf(sent.body))
    const work = () => forgetTokens(verifyEmail(options.database, token))
    return pageAfter(sent, work, verified, () => unusable)
  }

  function setPassword(sent: FastifyRequest): Promise<FormPage> {
    const entered = sentTo.reset.parse(fieldsOf(sent.body))
    const work = () => forgetTokens(resetPassword(options, entered, sent.address))
    return pageAfter(sent, work, done, (refusal) => failedReset(entered.token, refusal))
  }

  async function resetOrAsk(sent: FastifyRequest): Promise<FormPage> {
    const { email } = sentTo.ask.parse(fieldsOf(sent.body))
    if (email === undefined) return setPassword(sent)
    const work = () => requestPasswordReset(options, email, sent.address)
    return pageAfter(sent, work, asked, (refusal) =>
      options.mail ? emailPages.ask(problemIn(refusal)) : noMail(options.contact),
    )
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
      handler: async (request, reply) => {
        request.budget?.chargeNothing()
        const { data } = query.safeParse(request.query)
        const page = data ? shown(data.token) : without(Object(request.query).token !== undefined)
        return sendResponse(reply, await formPageResponse(page, options))
      },
    })
    scope.post(url, async (sent, reply) => {
      await sent.budget?.charge(formPrice)
      return sendResponse(reply, await formPageResponse(await submit(sent), options))
    })
    answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
  }

  add('/verify', emailPages.verify, () => unusable, verify)
  const askPage = options.mail ? emailPages.ask() : noMail(options.contact)
  add('/reset', emailPages.reset, (hasToken) => (hasToken ? expired : askPage), resetOrAsk)
}
