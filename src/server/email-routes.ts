import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { passwordError } from '../domain/accounts.ts'
import { resetPassword, verifyEmail } from '../domain/email.ts'
import { tokenForm } from '../domain/tokens.ts'
import { Refusal } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { sendResponse } from '../http/response.ts'
import type { App } from './app.ts'
import type { Site } from './pages/bar.ts'
import { type EmailPage, emailPage } from './pages/email-pages.ts'

/** The largest form, in bytes. */
const maxForm = 4_096

const form = z.object({ token: z.string().regex(tokenForm), password: z.string().default('') })

/** Adds the pages of the links in mails. Opening one changes nothing, because some mail servers open all links: its form does. */
export async function addEmailPages(scope: FastifyInstance, app: App, site: Site): Promise<void> {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxForm },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  )

  /** The page that says why an error was no success. */
  const pageOf = (error: unknown): EmailPage => {
    if (!(error instanceof Refusal)) throw error
    return error.code === 'VALIDATION_FAILED' ? 'unusable' : 'refused'
  }

  for (const page of ['verify', 'reset'] as const) {
    const url = `/${page}`
    const methods = withHead('GET')
    scope.route({
      method: methods,
      url,
      handler: async ({ query }, reply) => {
        const { data } = form.safeParse(query)
        return sendResponse(reply, await emailPage(data ? page : 'unusable', site, data))
      },
    })
    answerOtherMethods(scope, { url, methods: [...methods, 'POST'] })
  }
  scope.post('/verify', async ({ body }, reply) => {
    const { data } = form.safeParse(body)
    const page = data
      ? await verifyEmail(app.database, data.token).then((userId): EmailPage => {
          app.sessions.forget(userId)
          return 'verified'
        }, pageOf)
      : 'unusable'
    return sendResponse(reply, await emailPage(page, site))
  })
  scope.post('/reset', async ({ body, identity }, reply) => {
    const { data } = form.safeParse(body)
    if (!data) return sendResponse(reply, await emailPage('unusable', site))
    const invalid = passwordError('password', data.password)
    if (invalid) {
      const problem = `The password ${invalid.message}.`
      return sendResponse(reply, await emailPage('reset', site, { token: data.token, problem }))
    }
    const page = await resetPassword(app, data, identity.address).then((userId): EmailPage => {
      app.sessions.forget(userId)
      return 'done'
    }, pageOf)
    return sendResponse(reply, await emailPage(page, site))
  })
}
