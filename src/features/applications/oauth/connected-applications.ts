import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerOtherMethods, withHead } from '../../../engine/http/allowed-methods.ts'
import { fieldsOf } from '../../../engine/http/html.ts'
import { isUuid } from '../../../engine/text/uuids.ts'
import { authorizationsOfApplication, listAuthorizations, maxAuthorizations } from '../authorizations.ts'
import { connectionsPage, type Entered, type FormPage, signInPage } from './form-pages.ts'
import type { Show } from './interactions.ts'
import { accountOf } from './provider.ts'
import { sessionOf } from './provider-request.ts'
import type { FindServer, OAuthService } from './servers.ts'
import { addSessionSignIn } from './sign-in.ts'

const path = '/oauth/connections'

/** The condition on the authorizations that a form ends: one, all of an application, or none. */
function endedBy({ disconnect: id = '', 'disconnect-all': applicationId = '' }: ReturnType<typeof fieldsOf>) {
  if (isUuid(applicationId)) return { applicationId }
  return { id: { in: isUuid(id) ? [id] : [] } }
}

/** Adds the page of the applications that are connected to an account. */
export function addConnectedApplications(
  scope: FastifyInstance,
  service: OAuthService,
  serverOf: FindServer,
  show: Show,
): void {
  const { database, viewers, mail } = service
  const { prisma } = database.write
  const form = (entered: Entered = {}) =>
    signInPage({ action: `${path}/sign-in`, hasMail: mail !== undefined, ...entered })

  async function shownTo(request: FastifyRequest): Promise<FormPage> {
    const { session } = await sessionOf(serverOf(request), request)
    const account = session.accountId && (await accountOf(prisma, session.accountId))
    if (!account) return form()
    const { rows } = await listAuthorizations(database, account.accountId, {
      limit: maxAuthorizations * authorizationsOfApplication,
    })
    return connectionsPage(account.username, rows)
  }
  const read = withHead('GET')
  scope.route({ method: read, url: path, handler: async (request, reply) => show(reply, await shownTo(request)) })
  answerOtherMethods(scope, { url: path, methods: [...read, 'POST'], takingBodies: [] })

  scope.post(path, async (request, reply: FastifyReply) => {
    const server = serverOf(request)
    const { session } = await sessionOf(server, request)
    const { accountId: userId } = session
    const { 'sign-out': signsOut, ...form } = fieldsOf(request.body)
    // Somebody who disconnects twice has what they want.
    if (userId) await prisma.oauthGrant.deleteMany({ where: { ...endedBy(form), userId } })
    if (userId) viewers.forget(userId)
    if (signsOut) await session.destroy()
    return reply.redirect(server.issuer + path, 303)
  })

  addSessionSignIn(scope, service, serverOf, show, { path, form })
}
