import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { answerOtherMethods, withHead } from '../engine/http/allowed-methods.ts'
import { issuerFor } from '../engine/http/origin.ts'
import { addStaticText } from '../engine/http/static-text.ts'
import { basePath } from '../engine/http/url.ts'
import { packageFolder } from '../engine/package.ts'
import { webClient } from '../features/applications/oauth/web-client.ts'
import { aboutPage } from './pages/about-page.ts'
import { assetsFolder, assetsPath, demoFor } from './pages/page.ts'
import { callback, docs, landing, type MakePage, timeline } from './pages/pages.ts'
import type { ServerOptions } from './server-options.ts'

const pages: Readonly<Record<string, MakePage>> = {
  '/timeline': timeline,
  '/api/v1/docs': docs,
  [webClient.callback]: callback,
}

/** The API documents, read from the package, because printing them takes a tenth of a second. Tests check that they are up to date. */
const documents = {
  '/api/v1/openapi.json': { file: 'docs/openapi.json', type: 'application/json' },
  '/schema.graphql': { file: 'schema.graphql', type: 'text/plain; charset=utf-8' },
} as const

/** Adds what is only read: pages, their scripts and styles, and the two API documents. */
export async function addPages(scope: FastifyInstance, options: ServerOptions): Promise<void> {
  // Without a public URL, only this machine tells where the server is: a header could name anything.
  const variantOf = (message: IncomingMessage) => {
    const [issuer, demo] = [issuerFor(message, options), demoFor(message, options.demo)]
    return issuer || demo ? { issuer, demo } : undefined
  }
  const start: MakePage = (demo, site) =>
    options.introducesItself ? aboutPage({ ...options, ...site }) : landing(demo, { ...options, ...site })
  for (const [url, page] of Object.entries({ '/': start, ...pages }))
    addStaticText(scope, url, variantOf, (variant) => page(variant?.demo, { ...options, issuer: variant?.issuer }))
  await scope.register(fastifyStatic, {
    root: assetsFolder,
    prefix: assetsPath,
    logLevel: 'debug',
    // The path contains a hash of the content, so a response never becomes stale.
    maxAge: '1y',
    immutable: true,
    // The time of a file is that of a build or an unpacking, and may even be in the future.
    lastModified: false,
    preCompressed: true,
    allowedPath: (path) => !/\.(?:br|gz)$/.test(path),
    setHeaders: (response) => void response.setHeader('vary', 'accept-encoding'),
    index: false,
    // Ranges would count the bytes of the uncompressed file.
    acceptRanges: false,
  })
  answerOtherMethods(scope, { url: `${assetsPath}*`, methods: withHead('GET') })
  for (const [url, { file, type }] of Object.entries(documents)) {
    if (url === '/schema.graphql' && !options.introspection) continue
    const root = options.prefix + basePath
    const text = (await readFile(join(packageFolder, file), 'utf8')).replaceAll(basePath, root)
    addStaticText(scope, url, variantOf, (variant) => {
      const origin = variant?.issuer === undefined ? '' : new URL(variant.issuer).origin
      // The addresses of the server in the OpenAPI document are absolute, for clients that store it.
      const body = text
        .replace(`"url": "${root}"`, () => `"url": "${origin}${root}"`)
        .replaceAll('Url": "/oauth/', () => `Url": "${origin}${options.prefix}/oauth/`)
      return { status: 200, headers: { 'content-type': type }, body }
    })
  }
}
