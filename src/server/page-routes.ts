import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { addReadOnly, answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { type HttpResponse, sendResponse } from '../http/response.ts'
import { packageFolder } from '../package-folder.ts'
import type { App } from './app.ts'
import type { Offer } from './pages/bar.ts'
import { assetsFolder, assetsPath } from './pages/bundle.ts'
import { type DemoAccess, demoFor } from './pages/demo-access.ts'
import { docs, landing, timeline } from './pages/pages.ts'

type Page = (demo: DemoAccess | undefined, offer: Offer) => HttpResponse | Promise<HttpResponse>

const pages: Readonly<Record<string, Page>> = { '/': landing, '/timeline': timeline, '/api/v1/docs': docs }

/** The API documents, as the package has them: printing them takes a tenth of a second. Tests check that they are up to date. */
const documents = {
  '/api/v1/openapi.json': { file: 'openapi.json', type: 'application/json' },
  '/schema.graphql': { file: 'schema.graphql', type: 'text/plain; charset=utf-8' },
} as const

/** Adds what is only read: pages, their scripts and styles, and the two API documents. */
export async function addPages(scope: FastifyInstance, app: App, offer: Offer): Promise<void> {
  for (const [url, page] of Object.entries(pages)) {
    addReadOnly(scope, url, async ({ raw }, reply) => sendResponse(reply, await page(demoFor(raw, app.demo), offer)))
  }
  await scope.register(fastifyStatic, {
    root: assetsFolder,
    prefix: assetsPath,
    // The path contains a hash of the content, so a response never becomes stale.
    maxAge: '1y',
    immutable: true,
    preCompressed: true,
    allowedPath: (path) => !/\.(?:br|gz)$/.test(path),
    setHeaders: (response) => void response.setHeader('vary', 'accept-encoding'),
    index: false,
    // A range of a file is none of its compressed response.
    acceptRanges: false,
  })
  answerOtherMethods(scope, { url: `${assetsPath}*`, methods: withHead('GET') })
  for (const [url, { file, type }] of Object.entries(documents)) {
    if (url === '/schema.graphql' && !offer.hasSchema) continue
    addReadOnly(scope, url, (_request, reply) =>
      reply
        .sendFile(file, packageFolder, { cacheControl: false, contentType: false })
        .headers({ 'content-type': type, 'cache-control': 'no-cache' }),
    )
  }
}
