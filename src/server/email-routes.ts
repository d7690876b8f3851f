import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { prices } from '../engine/compiler/cost.ts'
import { Refusal } from '../engine/errors.ts'
import { answerOtherMethods, withHead } from '../engine/http/allowed-methods.ts'
import { acceptForms, fieldsOf } from '../engine/http/forms.ts'
import { sendResponse } from '../engine/http/response.ts'
import { passwordError } from '../features/accounts/accounts.ts'
import { requestPasswordReset, resetPassword, verifyEmail } from '../features/accounts/email.ts'
import type { FormPage } from '../features/applications/oauth/form-pages.ts'
import { emailPages } from './pages/email-pages.ts'
import { formPageResponse } from './pages/form-page.ts'
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

const { verified, unusable, asked, noMail, expired, done } = emailPages

const refused = (page: FormPage): FormPage => ({ ...page, status: 422 })

/** The page after work, or another one if that was refused. */
async function after(work: Promise<unknown>, success: FormPage, failure: FormPage): Promise<FormPage> {
  try {
    await work
    return success
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'VALIDATION_FAILED') throw error
    return refused(failure)
  }
}

/**
 * Adds the pages of the links in e-mails, and that on which one asks for one. Only their forms change anything, because some mail servers open
 * all links.
 */
export async function addEmailPages(scope: FastifyInstance, options: ServerOptions): Promise<void> {
  acceptForms(scope, maxForm)

  /** Forgets the tokens of an account, which may have been revoked. */
  const forgetTokens = async (account: Promise<string>) => options.viewers.forget(await account)

  async function verify({ body }: FastifyRequest): Promise<FormPage> {
    const { data } = verification.safeParse(fieldsOf(body))
    if (!data) return refused(unusable)
    return after(forgetTokens(verifyEmail(options.database, data.token)), verified, unusable)
  }

  async function setPassword({ body, address }: FastifyRequest): Promise<FormPage> {
    const { data } = reset.safeParse(fieldsOf(body))
    if (!data) return refused(expired)
    const invalid = passwordError('password', data.password)
    if (invalid) return refused(emailPages.reset(data.token, `The password ${invalid.message}.`))
    return after(forgetTokens(resetPassword(options, data, address)), done, expired)
  }

  async function resetOrAsk(sent: FastifyRequest): Promise<FormPage> {
    const { data } = request.safeParse(fieldsOf(sent.body))
    if (!data) return setPassword(sent)
    if (!options.mail) return refused(noMail)
    const work = requestPasswordReset(options, data.email, sent.address)
    return after(work, asked, emailPages.ask('This is not an e-mail address.'))
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
      if (page.status === 422) sent.logEntry.code ??= 'VALIDATION_FAILED'
      return sendResponse(reply, await formPageResponse(page, options))
    })
    answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
  }

  add('/verify', emailPages.verify, () => unusable, verify)
  const askPage = options.mail ? emailPages.ask() : noMail
  add('/reset', emailPages.reset, (hasToken) => (hasToken ? expired : askPage), resetOrAsk)
}
