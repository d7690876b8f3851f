import type { IncomingMessage } from 'node:http'
import type { HttpResponse } from '../../http/response.ts'
import type { App } from '../app.ts'
import { live, ready } from '../health.ts'
import { findAsset } from '../pages/bundle.ts'
import { demoFor } from '../pages/demo-access.ts'
import { docs } from '../pages/docs.ts'
import { landing } from '../pages/landing.ts'
import type { Offer } from '../pages/offer.ts'
import { timeline } from '../pages/timeline.ts'
import { openApiDocument, schemaDocument } from './api-documents.ts'

/** Responds to a GET request for a resource. */
export type GetResource = (message: IncomingMessage) => HttpResponse | Promise<HttpResponse>

/** Finds a read-only public resource by its path: pages, their scripts and styles, the two schemas, health. */
export function createResources(app: App, offer: Offer): (path: string) => Promise<GetResource | undefined> {
  const resources = new Map<string, GetResource>([
    ['/', (message) => landing(demoFor(message, app.demo), offer)],
    ['/timeline', (message) => timeline(demoFor(message, app.demo), offer)],
    ['/api/v1/openapi.json', ({ headers }) => openApiDocument.respond(headers)],
    ['/api/v1/docs', (message) => docs(demoFor(message, app.demo), offer)],
    ['/health/live', live],
    ['/health/ready', () => ready(app)],
  ])
  if (offer.hasSchema) resources.set('/schema.graphql', ({ headers }) => schemaDocument.respond(headers))
  return async (path) => {
    const resource = resources.get(path)
    if (resource) return resource
    const asset = await findAsset(path)
    return asset && (({ headers }) => asset.respond(headers))
  }
}
