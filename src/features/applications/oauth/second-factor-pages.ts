import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { answerOtherMethods, withHead } from '../../../engine/http/allowed-methods.ts'
import { fieldsOf, Html, html } from '../../../engine/http/html.ts'
import { type AuthenticatorSetup, secretForm } from '../../accounts/second-factor/authenticators.ts'
import {
  recoveryCodesLeft,
  removeSecondFactor,
  renewRecoveryCodes,
  setSecondFactor,
} from '../../accounts/second-factor/setup.ts'
import { passwordBounds } from '../../base/bounds.ts'
import { textError } from '../../base/input-rules.ts'
import { codeField, type Entered, type FormPage, messagePage, problemText, signInPage } from './form-pages.ts'
import type { Show } from './interactions.ts'
import { accountOf } from './provider.ts'
import { sessionOf } from './provider-request.ts'
import type { FindServer, OAuthService } from './servers.ts'
import { addSessionSignIn, refusedOr } from './sign-in.ts'

const path = '/oauth/second-factor'

const passwordField = html`<p><label>Password <input type="password" name="password" autocomplete="current-password"
  maxlength="${String(passwordBounds.max)}" required></label></p>`

/** The size of a QR code on a page. */
const sized = (qrCode: string) =>
  new Html(qrCode.replace('<svg ', '<svg width="240" height="240" role="img" aria-label="QR code" '))

/** The page on which somebody sets up an authenticator app. */
const setupPage = ({ secret, url, qrCode }: AuthenticatorSetup, problem?: string): FormPage => ({
  title: 'Set up a second factor',
  body: html`<p>With a second factor, signing in needs a code of an authenticator app besides your password.</p>
<p>Scan this code with the app, <a href="${url}">open the app on this device</a>, or type in the key:</p>
<p>${sized(qrCode)}</p>
<p><code>${secret.replaceAll(/(?!^)(?=(?:.{4})+$)/g, ' ')}</code></p>
<form method="post" action="${path}"><input type="hidden" name="secret" value="${secret}">
${codeField}
${passwordField}
${problemText(problem)}
<p><button>Turn on</button></p></form>`,
  status: problem ? 422 : 200,
})

/** The page with the recovery codes, which are shown only once. */
const recoveryPage = (codes: readonly string[]): FormPage => ({
  title: 'Keep these recovery codes',
  body: html`<p>The second factor is on. These are its only recovery codes: if you lose the app, each signs you in once. They are not
  shown again, so print them, or store them in a safe place.</p>
<ul>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="${path}">Done</a></p>`,
})

/** The page on which somebody changes or removes the second factor. */
const changePage = (codesLeft: number, problem?: string): FormPage => ({
  title: 'Your second factor',
  body: html`<p>Signing in needs a code of your authenticator app. Recovery codes left: ${String(codesLeft)}.</p>
<form method="post" action="${path}">
${codeField}
${passwordField}
${problemText(problem)}
<p class="buttons"><button name="action" value="renew">Make new recovery codes</button>
<button class="secondary" name="action" value="remove">Turn off</button></p></form>
<p class="quiet">To use another app, turn the second factor off, and set it up again.</p>`,
  status: problem ? 422 : 200,
})

const fields = z.object({
  secret: z.string().default(''),
  action: z.enum(['set', 'renew', 'remove']).catch('set'),
  code: z.string().default(''),
  password: z.string().default(''),
})

/** What a form does; some return recovery codes to show. */
const changes = { set: setSecondFactor, renew: renewRecoveryCodes, remove: removeSecondFactor }

/** Adds the page on which people set up, change and remove their second factor. */
export function addSecondFactorPages(
  scope: FastifyInstance,
  service: OAuthService,
  serverOf: FindServer,
  show: Show,
): void {
  const { prisma } = service.database.write
  const { authenticators, mail } = service
  const form = (entered: Entered = {}) =>
    signInPage({ action: `${path}/sign-in`, hasMail: mail !== undefined, ...entered })

  /** Who is signed in to the browser. */
  async function accountIn(request: FastifyRequest) {
    const { session } = await sessionOf(serverOf(request), request)
    return session.accountId ? accountOf(prisma, session.accountId) : undefined
  }

  /** The page for an account, with the secret of an app that it is about to set up. */
  async function pageFor(
    account: { readonly accountId: string; readonly username: string },
    secret?: string,
    problem?: string,
  ) {
    const left = await recoveryCodesLeft(prisma, account.accountId)
    if (left !== undefined) return changePage(left, problem)
    if (!authenticators)
      return messagePage('No second factor', 'This server has no key for second factors. Ask its operator.')
    return setupPage(authenticators.setupOf(account.username, secret), problem)
  }

  const read = withHead('GET')
  scope.route({
    method: read,
    url: path,
    handler: async (request, reply) => {
      const account = await accountIn(request)
      return show(reply, account ? await pageFor(account) : form())
    },
  })
  answerOtherMethods(scope, { url: path, methods: [...read, 'POST'], takingBodies: [] })

  scope.post(path, async (request, reply) => {
    const account = await accountIn(request)
    if (!account) return show(reply, form())
    const { secret, code, password, action } = fields.parse(fieldsOf(request.body))
    const [owner, entered] = [{ id: account.accountId }, { secret, code, password }]
    const done = await refusedOr(request, async () => ({
      codes: await changes[action](service, owner, entered, request.address),
    }))
    const known = textError('secret', secret, secretForm) ? undefined : secret
    if ('problem' in done) return show(reply, await pageFor(account, known, done.problem))
    if (done.codes) return show(reply, recoveryPage(done.codes))
    return reply.redirect(serverOf(request).issuer + path, 303)
  })

  addSessionSignIn(scope, service, serverOf, show, { path, form })
}
