import type { FastifyInstance } from 'fastify'
import { notFound } from '../engine/errors.ts'
import type { Services } from '../engine/execution/request-context.ts'
import { addReadOnly } from '../engine/http/allowed-methods.ts'
import { issuerFor, type UrlSettings } from '../engine/http/origin.ts'
import { sendResponse } from '../engine/http/response.ts'
import { nodeInfo, nodeInfoLinks, nodeInfoPaths, nodeInfoSchema } from '../features/server-info/nodeinfo.ts'

const cached = { 'cache-control': 'public, max-age=60' } as const

/** Adds NodeInfo, from which crawlers learn what the server is. Without a public URL, it can only be found on this machine. */
export function addNodeInfo(scope: FastifyInstance, services: Services & UrlSettings): void {
  addReadOnly(scope, nodeInfoPaths.discovery, ({ raw }, reply) => {
    const base = issuerFor(raw, services)
    if (base === undefined) throw notFound('path', 'this server has no PUBLIC_URL')
    const body = JSON.stringify(nodeInfoLinks(base))
    return sendResponse(reply, { status: 200, headers: { 'content-type': 'application/json', ...cached }, body })
  })
  addReadOnly(scope, nodeInfoPaths.document, async (_request, reply) => {
    const body = JSON.stringify(await nodeInfo(services))
    const type = `application/json; profile="${nodeInfoSchema}#"`
    return sendResponse(reply, { status: 200, headers: { 'content-type': type, ...cached }, body })
  })
}
