import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { passwordError } from '../domain/accounts.ts'
import { resetPassword, verifyEmail } from '../domain/email.ts'
import { tokenForm } from '../domain/tokens.ts'
import { Refusal } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { sendResponse } from '../http/response.ts'
import type { App } from './app.ts'
import { type EmailPage, emailPage } from './pages/email-pages.ts'

/** The largest form, in bytes. */
const maxForm = 4_096

const form = z.object({ token: z.string().regex(tokenForm), password: z.string().default('') })

/** Adds the pages of the links in e-mails. Only their forms change anything, because some mail servers open all links. */
export async function addEmailPages(scope: FastifyInstance, app: App): Promise<void> {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxForm },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  )

  /** Uses the token of a form, which may have revoked the tokens of its account. Returns the page to show. */
  async function use(work: Promise<string>, success: EmailPage): Promise<EmailPage> {
    try {
      app.sessions.forget(await work)
      return success
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.code === 'VALIDATION_FAILED' ? 'unusable' : 'refused'
    }
  }

  for (const page of ['verify', 'reset'] as const) {
    const url = `/${page}`
    const methods = withHead('GET')
    scope.route({
      method: methods,
      url,
      handler: async ({ query }, reply) => {
        const { data } = form.safeParse(query)
        return sendResponse(reply, await emailPage(data ? page : 'unusable', app, data))
      },
    })
    answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
  }
  scope.post('/verify', async ({ body }, reply) => {
    const { data } = form.safeParse(body)
    const page = data ? await use(verifyEmail(app.database, data.token), 'verified') : 'unusable'
    return sendResponse(reply, await emailPage(page, app))
  })
  scope.post('/reset', async ({ body, identity }, reply) => {
    const { data } = form.safeParse(body)
    const invalid = data && passwordError('password', data.password)
    if (invalid) {
      const problem = `The password ${invalid.message}.`
      return sendResponse(reply, await emailPage('reset', app, { token: data.token, problem }))
    }
    const page = data ? await use(resetPassword(app, data, identity.address), 'done') : 'unusable'
    return sendResponse(reply, await emailPage(page, app))
  })
}
