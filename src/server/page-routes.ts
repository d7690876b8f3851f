import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { addReadOnly, answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { matchesWeakly, readEntityTags } from '../http/entity-tags.ts'
import { issuerFor } from '../http/issuer.ts'
import { requestedOrigin } from '../http/origin.ts'
import { sendResponse } from '../http/response.ts'
import { basePath } from '../http/url.ts'
import { webClient } from '../oauth/web-client.ts'
import { packageFolder } from '../package-folder.ts'
import { assetsFolder, assetsPath } from './pages/bundle.ts'
import { demoFor } from './pages/demo-access.ts'
import { callback, docs, landing, type MakePage, timeline } from './pages/pages.ts'
import type { ServerOptions } from './server-options.ts'

const pages: Readonly<Record<string, MakePage>> = {
  '/': landing,
  '/timeline': timeline,
  '/api/v1/docs': docs,
  [webClient.callback]: callback,
}

/** The API documents, read from the package, because printing them takes a tenth of a second. Tests check that they are up to date. */
const documents = {
  '/api/v1/openapi.json': { file: 'openapi.json', type: 'application/json' },
  '/schema.graphql': { file: 'schema.graphql', type: 'text/plain; charset=utf-8' },
} as const

/** Adds what is only read: pages, their scripts and styles, and the two API documents. */
export async function addPages(scope: FastifyInstance, options: ServerOptions): Promise<void> {
  for (const [url, page] of Object.entries(pages)) {
    addReadOnly(scope, url, async ({ raw }, reply) =>
      sendResponse(reply, await page(demoFor(raw, options.demo), { ...options, issuer: issuerFor(raw, options) })),
    )
  }
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
    addReadOnly(scope, url, ({ raw }, reply) => {
      const origin = requestedOrigin(raw, options.trustedProxies) ?? ''
      // The addresses of the server in the OpenAPI document are absolute, for clients that store it.
      const absolute = text
        .replace(`"url": "${root}"`, () => `"url": "${origin}${root}"`)
        .replaceAll('Url": "/oauth/', () => `Url": "${origin}${options.prefix}/oauth/`)
      const content = Buffer.from(absolute)
      const tag = `"${hash('sha256', content, 'base64url')}"`
      // A weak tag is that of all encodings.
      reply.headers({ 'content-type': type, 'cache-control': 'no-cache', vary: 'accept-encoding', etag: `W/${tag}` })
      const known = readEntityTags('If-None-Match', raw.headers['if-none-match'])
      return known && matchesWeakly(known, tag) ? reply.code(304).send() : reply.send(content)
    })
  }
}
