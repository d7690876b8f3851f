import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { passwordError } from '../domain/accounts.ts'
import { requestPasswordReset, resetPassword, verifyEmail } from '../domain/email.ts'
import { Refusal } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { acceptForms, fieldsOf } from '../http/forms.ts'
import { sendResponse } from '../http/response.ts'
import { prices } from '../reads/cost.ts'
import { type EmailPage, emailPage } from './pages/email-pages.ts'
import { formPage } from './pages/form-page.ts'
import type { ServerOptions } from './server-options.ts'

/** The largest form, in bytes. */
const maxForm = 4_096

/** What a form costs: as much as the mutation that does the same. */
const formPrice = prices.statement + prices.mutation

/** A token. A link that was copied from a text may end in punctuation of that text. */
const token = z
  .string()
  .regex(/^\s*rookery_[\w-]{43}(?:[^\w-]|$)/)
  .transform((text) => text.trim().slice(0, 'rookery_'.length + 43))

const verification = z.object({ token })
const reset = z.object({ token, password: z.string() })
const request = z.object({ email: z.string().trim() })

/** What to show after a form was sent. */
type FormResult = { readonly page: EmailPage; readonly token?: string; readonly problem?: string }

/**
 * Adds the pages of the links in e-mails, and that on which one asks for one. Only their forms change anything, because some mail servers open
 * all links.
 */
export async function addEmailPages(scope: FastifyInstance, options: ServerOptions): Promise<void> {
  acceptForms(scope, maxForm)

  /** Uses the token of a form, which may have revoked the tokens of its account. */
  async function use(work: Promise<string>, success: EmailPage, failure: EmailPage): Promise<FormResult> {
    try {
      options.viewers.forget(await work)
      return { page: success }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'VALIDATION_FAILED') throw error
      return { page: failure }
    }
  }

  async function verify({ body }: FastifyRequest): Promise<FormResult> {
    const { data } = verification.safeParse(fieldsOf(body))
    return data ? use(verifyEmail(options.database, data.token), 'verified', 'unusable') : { page: 'unusable' }
  }

  async function setPassword({ body, address }: FastifyRequest): Promise<FormResult> {
    const { data } = reset.safeParse(fieldsOf(body))
    if (!data) return { page: 'expired' }
    const invalid = passwordError('password', data.password)
    if (invalid) return { page: 'reset', token: data.token, problem: `The password ${invalid.message}.` }
    return use(resetPassword(options, data, address), 'done', 'expired')
  }

  async function ask({ body, address }: FastifyRequest): Promise<FormResult> {
    if (!options.mail) return { page: 'noMail' }
    try {
      await requestPasswordReset(options, request.parse(fieldsOf(body)).email, address)
      return { page: 'asked' }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'VALIDATION_FAILED') throw error
      return { page: 'ask', problem: 'This is not an e-mail address.' }
    }
  }

  const pages = {
    verify: { form: verify, without: 'unusable' },
    reset: {
      form: (sent: FastifyRequest) => (request.safeParse(fieldsOf(sent.body)).success ? ask(sent) : setPassword(sent)),
      without: 'expired',
    },
  } as const

  for (const page of ['verify', 'reset'] as const) {
    const url = `/${page}`
    const { form, without } = pages[page]
    const methods = withHead('GET')
    scope.route({
      method: methods,
      url,
      handler: async ({ query, budget }, reply) => {
        budget?.chargeNothing()
        const { data } = verification.safeParse(query)
        const asks = page === 'reset' && Object(query).token === undefined
        const shown = asks ? (options.mail ? 'ask' : 'noMail') : without
        return sendResponse(reply, await formPage(emailPage(data ? page : shown, data), options))
      },
    })
    scope.post(url, async (sent, reply) => {
      await sent.budget?.charge(formPrice)
      const outcome = await form(sent)
      const isDone = ['verified', 'done', 'asked'].includes(outcome.page)
      if (!isDone) sent.logEntry.code ??= 'VALIDATION_FAILED'
      const next = { ...emailPage(outcome.page, outcome), status: isDone ? 200 : 422 }
      return sendResponse(reply, await formPage(next, options))
    })
    answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
  }
}
