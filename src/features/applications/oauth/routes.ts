import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../engine/errors.ts'
import { answerOtherMethods } from '../../../engine/http/allowed-methods.ts'
import { acceptForms, limitBodies } from '../../../engine/http/forms.ts'
import { sendResponse } from '../../../engine/http/response.ts'
import { readQuery } from '../../../engine/http/url.ts'
import { addBrowsers } from './browser.ts'
import { isObject, usedMetadata } from './client-metadata.ts'
import { addConnectedApplications } from './connected-applications.ts'
import { codePage, type Render } from './device-pages.ts'
import type { FormPage } from './form-pages.ts'
import { addInteractions, pathOfChoice } from './interactions.ts'
import { addMetadata } from './metadata-routes.ts'
import { requireStorable } from './parameters.ts'
import { type BufferedResponse, providerRequest } from './provider-request.ts'
import { requireSameOrigin } from './same-origin.ts'
import { authorizationServers, type FindServer, type OAuthService } from './servers.ts'

/** The largest body of a request of an application, in bytes. */
const maxRequest = 16_384

/** The largest form, in bytes. */
const maxForm = 8_192

/** What requests cost, in points: those that store something for people who are not known yet, or fetch a document, cost more. */
const prices = { usual: 500, step: 5_000, registration: 20_000 } as const

/** The paths that store a row for whoever asks. */
const rowOf: Readonly<Record<string, 'step' | 'registration'>> = {
  '/oauth/authorize': 'step',
  '/oauth/device_authorization': 'step',
  '/oauth/register': 'registration',
}

/** The body of a registration, with what counts of it. */
function registrationIn(body: unknown): unknown {
  try {
    const metadata: unknown = JSON.parse(String(body))
    return isObject(metadata) ? Buffer.from(JSON.stringify(usedMetadata(metadata))) : body
  } catch {
    // The library refuses what is no JSON.
    return body
  }
}

/** Sends a response of the library. */
async function send(reply: FastifyReply, response: BufferedResponse) {
  const { kept, cookies } = response
  for (const cookie of cookies) reply.header('set-cookie', cookie)
  if (kept.status === 404 && !kept.headers['content-type']?.includes('json'))
    throw new Refusal('NOT_FOUND', 'The authorization server has nothing at this path.')
  return sendResponse(reply, kept)
}

/** Adds what the library answers. */
function addLibrary(library: FastifyInstance, serverOf: FindServer): void {
  limitBodies(library, maxRequest)
  library.removeAllContentTypeParsers()
  library.addContentTypeParser<Buffer>('*', { parseAs: 'buffer', bodyLimit: maxRequest }, (_request, body, done) =>
    done(null, body),
  )
  const pass = async (request: FastifyRequest, reply: FastifyReply, url?: string) => {
    const { issuer, respond } = serverOf(request)
    return send(reply, await respond(providerRequest(request, issuer, url)))
  }
  library.post('/oauth/register', (request, reply) => {
    request.body = registrationIn(request.body)
    return pass(request, reply)
  })
  for (const name of ['token', 'revoke', 'introspect', 'device_authorization'])
    library.post(`/oauth/${name}`, (request, reply) => pass(request, reply))
  for (const name of ['token', 'revoke', 'introspect', 'device_authorization', 'register'])
    answerOtherMethods(library, { url: `/oauth/${name}`, methods: ['POST'], takingBodies: [] })
  // It would answer in other modes with a script that sends a form.
  library.get('/oauth/authorize', (request, reply) => {
    const query = readQuery(request.raw)
    const asked = new URLSearchParams([...query].filter(([name]) => name !== 'response_mode'))
    return pass(request, reply, `/oauth/authorize?${asked}`)
  })
  library.get('/oauth/jwks', (request, reply) => pass(request, reply))
  for (const name of ['authorize', 'device'])
    library.get(`/oauth/${name}/:uid`, async (request, reply) => {
      const server = serverOf(request)
      const path = await pathOfChoice(server, request)
      return path === undefined ? pass(request, reply) : reply.redirect(server.issuer + path, 303)
    })
  library.post('/oauth/device', (request, reply) => {
    requireSameOrigin(request, serverOf(request).issuer)
    return pass(request, reply)
  })
}

/** Adds the authorization server (OAuth 2.1) with its pages. `render` makes the response with a page. */
export async function addOAuth(scope: FastifyInstance, service: OAuthService, render: Render): Promise<void> {
  const serverOf = authorizationServers(service, render)
  const show = async (reply: FastifyReply, page: FormPage) => sendResponse(reply, await render(page))

  scope.addHook('preHandler', async ({ budget, routeOptions, method, address }) => {
    if (method === 'OPTIONS') return
    const row = rowOf[routeOptions.url ?? '']
    await budget?.charge(prices[row ?? 'usual'])
    if (row) await service.signInLimits?.addRow(row, address)
  })
  scope.addHook('preHandler', async (request) => requireStorable(request))
  addMetadata(scope, service, serverOf)
  addBrowsers(scope, (request) => serverOf(request).issuer)

  await scope.register(async (library) => addLibrary(library, serverOf))

  await scope.register(async (forms) => {
    acceptForms(forms, maxForm)
    forms.addHook('preHandler', async (request) => {
      if (request.method === 'POST') requireSameOrigin(request, serverOf(request).issuer)
    })
    // With a code in it, the library would respond with a script that sends a form.
    forms.get('/oauth/device', (request, reply) =>
      show(reply, codePage(readQuery(request.raw).get('user_code') ?? undefined)),
    )
    addInteractions(forms, service, serverOf, show)
    addConnectedApplications(forms, service, serverOf, show)
  })
}
