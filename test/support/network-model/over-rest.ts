import { z } from 'zod'
import type { TestApp } from '../app.ts'
import type { Group, PublicationList, Request, UserList } from './requests.ts'
import { statuses } from './requests.ts'

type UuidOf = (number: number) => string

/** A call of the REST interface, and how its body is read. */
type Call = {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly read?: (body: Readonly<Record<string, unknown>>, link: string) => unknown
}

const object = z.record(z.string(), z.unknown())
const problem = z.object({ code: z.enum(['VALIDATION_FAILED', 'NOT_FOUND', 'FORBIDDEN', 'POST_LOCKED']) })

const lockAt = (group: Group) => (group === 'post' ? 'locked' : 'lock')
const publicationAt = (group: Group) => (body: Readonly<Record<string, unknown>>) =>
  group === 'post' ? body : body.reply

function pageOf(request: PublicationList | UserList, path: string): Call {
  const { name, page, limit } = request
  const isInPath = name !== 'following' && name !== 'followers'
  const query = new URLSearchParams({
    ...(isInPath ? {} : { page: String(page) }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
  })
  return {
    method: 'GET',
    path: `${path}${isInPath ? `/${page}` : ''}?${query}`,
    read: (body, link) => ({ ...body, more: link.includes('rel="next"') }),
  }
}

function callOf(request: Request, uuidOf: UuidOf): Call {
  switch (request.name) {
    case 'send': {
      const { group, content, locked, parent } = request
      const body = { content, [lockAt(group)]: locked, parent: parent === undefined ? undefined : uuidOf(parent) }
      return { method: 'POST', path: `/${group}`, body, read: publicationAt(group) }
    }
    case 'edit': {
      const { group, content, locked, publication } = request
      const body = { content, [lockAt(group)]: locked }
      return { method: 'PATCH', path: `/${group}/${uuidOf(publication)}`, body, read: publicationAt(group) }
    }
    case 'delete': {
      const { group, publication } = request
      return { method: 'DELETE', path: `/${group}/${uuidOf(publication)}`, read: publicationAt(group) }
    }
    case 'like': {
      const uuid = uuidOf(request.publication)
      if (request.group === 'reply') return { method: 'PUT', path: `/like/${uuid}`, read: (body) => body._message }
      return { method: 'POST', path: `/post/${uuid}/like`, read: ({ action }) => action }
    }
    case 'follow':
      return { method: 'POST', path: `/user/${request.user}/follow`, read: ({ action }) => action }
    case 'post':
    case 'reply':
      return { method: 'GET', path: `/${request.name}/${uuidOf(request.publication)}` }
    case 'publications':
      return { method: 'GET', path: `/post?${request.publications.map((each) => `uuid=${uuidOf(each)}`).join('&')}` }
    case 'viewer':
      return { method: 'GET', path: '/user' }
    case 'user':
      return { method: 'GET', path: `/user/${request.user}` }
    case 'replies':
      return pageOf(request, `/post/${uuidOf(request.publication)}/replies`)
    case 'likers':
      return pageOf(request, `/post/${uuidOf(request.publication)}/likes`)
    case 'posts':
    case 'likes':
    case 'following':
    case 'followers':
      return pageOf(request, `/user/${request.user}/${request.name}`)
  }
}

/** Sends a request over REST, and returns what the model returns for it. */
export async function overRest(app: TestApp, token: string, request: Request, uuidOf: UuidOf): Promise<unknown> {
  const { method, path, body, read = (whole) => whole } = callOf(request, uuidOf)
  const response = await app.rest(token, method, path, body)
  const answer: unknown = await response.json()
  if (response.ok) return read(object.parse(answer), response.headers.get('link') ?? '')
  const { code } = problem.parse(answer)
  if (statuses[code] !== response.status) throw new Error(`${code} has the status ${response.status}`)
  return { refused: code }
}
