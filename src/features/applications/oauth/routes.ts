import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { forbidden, Refusal } from '../../../engine/errors.ts'
import { addReadOnly, answerOtherMethods, withHead } from '../../../engine/http/allowed-methods.ts'
import { acceptForms, limitBodies } from '../../../engine/http/html.ts'
import { resourceMetadataPath } from '../../../engine/http/origin.ts'
import { sendResponse } from '../../../engine/http/response.ts'
import { isDecodable, mcpPath, readQuery } from '../../../engine/http/url.ts'
import { scopes } from '../../base/scopes.ts'
import { addBrowsers } from './browser.ts'
import { addConnectedApplications } from './connected-applications.ts'
import { codePage, type Render } from './device-pages.ts'
import { addEndpoints, isRegistration } from './endpoints.ts'
import type { FormPage } from './form-pages.ts'
import { addInteractions, pathOfChoice, pathOfUsed } from './interactions.ts'
import { type BufferedResponse, providerRequest } from './provider-request.ts'
import { addSecondFactorPages } from './second-factor-pages.ts'
import { authorizationServers, type FindServer, type OAuthService } from './servers.ts'

/**
 * Refuses a form that a page of another site has sent. Browsers say where a form is from in `Sec-Fetch-Site`, older ones in
 * `Origin` alone, and other clients in neither; they have no cookies that a page could misuse.
 */
function requireSameOrigin({ raw: { headers } }: FastifyRequest, issuer: string): void {
  const { origin, 'sec-fetch-site': site } = headers
  const isSame = site === undefined ? origin === undefined || origin === new URL(issuer).origin : site === 'same-origin'
  if (!isSame) throw forbidden('OTHER_SITE', 'This form was sent by a page of another site.')
}

/** The most characters of a parameter, as all of them may be stored. */
const longestParameter = 2_048

const refuse = (what: string) => new Refusal('BAD_REQUEST', `A parameter ${what}.`)

function requireText(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) throw refuse('has a NUL or is not UTF-8')
}

function requireParameters(parameters: URLSearchParams): void {
  for (const text of [...parameters].flat()) {
    requireText(text)
    if (text.length > longestParameter)
      throw refuse(`has more than ${longestParameter.toLocaleString('en')} characters`)
  }
}

/** Checks all texts in JSON, as deep as they can be read. What is no JSON is refused elsewhere. */
function requireJson(text: string): void {
  try {
    JSON.parse(text, (name, value: unknown) => {
      requireText(name)
      if (typeof value === 'string') requireText(value)
      return value
    })
  } catch (error) {
    if (error instanceof RangeError) throw refuse('is nested too deeply')
    if (!(error instanceof SyntaxError)) throw error
  }
}

/** Refuses a request with a parameter that cannot be stored, wherever it is: in the query, a form or the JSON of a registration. */
function requireStorable(request: FastifyRequest): void {
  const { raw, body } = request
  requireParameters(readQuery(raw))
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return
  const text = body.toString()
  if (isRegistration(request)) requireJson(text)
  else if (isDecodable(text)) requireParameters(new URLSearchParams(text))
  else throw refuse('has a NUL or is not UTF-8')
}

const document = z.record(z.string(), z.unknown())

/** What the library says about OpenID Connect, of which nothing is offered. */
const ofOpenId = new Set([
  ...['claims_parameter_supported', 'claims_supported', 'claim_types_supported', 'subject_types_supported'],
  ...['id_token_signing_alg_values_supported', 'jwks_uri', 'request_uri_parameter_supported', 'acr_values_supported'],
  'token_endpoint_auth_signing_alg_values_supported',
])

/** Adds the metadata of the authorization server (RFC 8414) and of the resources that its tokens are for (RFC 9728). */
function addMetadata(scope: FastifyInstance, service: OAuthService, serverOf: FindServer): void {
  const json = { 'content-type': 'application/json' }
  // A path of the issuer comes after the name, where a proxy may send it here, or before it.
  const { publicUrl, prefix, siteName, mcp } = service
  const base = publicUrl === undefined ? prefix : new URL(publicUrl).pathname.replace(/\/$/, '')
  const places = (path: string, below = '') => [...new Set([path + below, path + base + below])]

  for (const name of ['oauth-authorization-server', 'openid-configuration'])
    for (const url of places(`/.well-known/${name}`))
      addReadOnly(scope, url, async (request, reply) => {
        const { issuer, respond } = serverOf(request)
        const answer = await respond(providerRequest(request, issuer, '/.well-known/oauth-authorization-server'))
        const known = document.parse(JSON.parse(String(answer.kept.body)))
        const own = Object.entries(known).filter(([field]) => name === 'openid-configuration' || !ofOpenId.has(field))
        const metadata = { ...Object.fromEntries(own), scopes_supported: scopes, response_modes_supported: ['query'] }
        return sendResponse(reply, { status: 200, headers: json, body: JSON.stringify(metadata) })
      })

  for (const below of mcp ? ['', mcpPath] : [''])
    for (const url of places(resourceMetadataPath, below))
      addReadOnly(scope, url, async (request, reply) => {
        const { issuer } = serverOf(request)
        const metadata = {
          resource: issuer + below,
          authorization_servers: [issuer],
          scopes_supported: scopes,
          bearer_methods_supported: ['header'],
          resource_name: siteName,
          resource_documentation: `${issuer}/api/v1/docs`,
        }
        return sendResponse(reply, { status: 200, headers: json, body: JSON.stringify(metadata) })
      })
}

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

/** Sends a response of the library. */
async function send(reply: FastifyReply, response: BufferedResponse) {
  const { kept, cookies } = response
  for (const cookie of cookies) reply.header('set-cookie', cookie)
  if (kept.status === 404 && !kept.headers['content-type']?.includes('json'))
    throw new Refusal('NOT_FOUND', 'The authorization server has nothing at this path.')
  return sendResponse(reply, kept)
}

/** Adds what the library answers. */
async function addLibrary(library: FastifyInstance, service: OAuthService, serverOf: FindServer): Promise<void> {
  limitBodies(library, maxRequest)
  library.removeAllContentTypeParsers()
  library.addContentTypeParser<Buffer>('*', { parseAs: 'buffer', bodyLimit: maxRequest }, (_request, body, done) =>
    done(null, body),
  )
  const pass = async (request: FastifyRequest, reply: FastifyReply, url?: string) => {
    const { issuer, respond } = serverOf(request)
    return send(reply, await respond(providerRequest(request, issuer, url)))
  }
  await library.register(async (scope) => addEndpoints(scope, service.log, pass))
  // It would answer in other modes with a script that sends a form.
  addReadOnly(library, '/oauth/authorize', (request, reply) => {
    const query = readQuery(request.raw)
    const asked = new URLSearchParams([...query].filter(([name]) => name !== 'response_mode'))
    return pass(request, reply, `/oauth/authorize?${asked}`)
  })
  addReadOnly(library, '/oauth/jwks', (request, reply) => pass(request, reply))
  for (const name of ['authorize', 'device'])
    library.get(`/oauth/${name}/:uid`, async (request, reply) => {
      const server = serverOf(request)
      const choice = await pathOfChoice(server, request)
      if (choice !== undefined) return reply.redirect(server.issuer + choice, 303)
      const response = await server.respond(providerRequest(request, server.issuer))
      const again = response.kept.status === 400 ? await pathOfUsed(service, request) : undefined
      return again === undefined ? send(reply, response) : reply.redirect(server.issuer + again, 303)
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

  await scope.register(async (library) => addLibrary(library, service, serverOf))

  await scope.register(async (forms) => {
    acceptForms(forms, maxForm)
    forms.addHook('preHandler', async (request) => {
      if (request.method === 'POST') requireSameOrigin(request, serverOf(request).issuer)
    })
    // With a code in it, the library would respond with a script that sends a form.
    const [url, read] = ['/oauth/device', withHead('GET')]
    forms.route({
      method: read,
      url,
      handler: (request, reply) => show(reply, codePage(readQuery(request.raw).get('user_code') ?? undefined)),
    })
    answerOtherMethods(forms, { url, methods: [...read, 'POST'], takingBodies: [] })
    addInteractions(forms, service, serverOf, show)
    addConnectedApplications(forms, service, serverOf, show)
    addSecondFactorPages(forms, service, serverOf, show)
  })
}
