import type { IncomingMessage } from 'node:http'
import type { Answer } from '../answer.ts'
import { live, ready } from '../health.ts'
import type { App } from '../listener.ts'
import { findAsset } from '../pages/assets.ts'
import { demoFor } from '../pages/demo-access.ts'
import { docs } from '../pages/docs.ts'
import { landing } from '../pages/landing.ts'
import { openApiText } from './openapi-text.ts'
import { schemaText } from './schema-text.ts'

/** Answers a request to read a document. */
export type ReadDocument = (message: IncomingMessage) => Answer | Promise<Answer>

/** Finds what is only read and needs no token, by its path: pages, their scripts and styles, the two schemas, health. */
export function createDocuments(app: App): (path: string) => Promise<ReadDocument | undefined> {
  const documents = new Map<string, ReadDocument>([
    ['/', ({ headers }) => landing.answer(headers)],
    ['/schema.graphql', ({ headers }) => schemaText.answer(headers)],
    ['/api/v1/openapi.json', ({ headers }) => openApiText.answer(headers)],
    ['/api/v1/docs', (message) => docs(demoFor(message, app.demo))],
    ['/health/live', live],
    ['/health/ready', () => ready(app)],
  ])
  return async (path) => {
    const document = documents.get(path)
    if (document) return document
    const asset = await findAsset(path)
    return asset && (({ headers }) => asset.answer(headers))
  }
}
