import { z } from 'zod'
import type { TestApp } from '../app.ts'
import { postSelection, publicationFact, publicationSelection, userFact, userSelection } from '../parity.ts'
import { type Door, type PublicationList, type Request, sizeOf, type Timeline, type UserList } from './requests.ts'

type UuidOf = (number: number) => string

/** An operation, and how its data are read. Null means that there is no such object. */
type Operation = {
  readonly document: string
  readonly variables?: Record<string, unknown>
  readonly read: (data: unknown) => unknown
}

const refusals = z.tuple([
  z.object({
    extensions: z.object({ code: z.enum(['VALIDATION_FAILED', 'NOT_FOUND', 'FORBIDDEN', 'POST_LOCKED']) }),
  }),
])

/** A user with the e-mail keys only where there is something. */
const profileFact = userFact.transform(({ email, email_verified, ...user }) =>
  email == null && email_verified == null ? user : { ...user, email, email_verified },
)
const profileSelection = `${userSelection} email emailVerified`

const replyFact = z
  .strictObject({
    uuid: z.string(),
    parentUuid: z.string(),
    author: z.strictObject({ uuid: z.string() }),
    content: z.string(),
    from: z.strictObject({ uuid: z.string() }).nullable(),
    locked: z.boolean(),
    replies: z.strictObject({ nodes: z.array(publicationFact) }),
  })
  .transform((reply) => ({
    uuid: reply.uuid,
    parent: reply.parentUuid,
    author: reply.author.uuid,
    content: reply.content,
    from: reply.from?.uuid ?? null,
    lock: reply.locked,
    replies: reply.replies.nodes,
  }))

const only = <Value>(value: z.ZodType<Value>) => z.strictObject({ answer: value.nullable() })
const reads = (value: z.ZodType) => (data: unknown) => only(value).parse(data).answer

function mutation(field: string, type: string, selection: string, read: z.ZodType, input: object): Operation {
  const document = `mutation ($input: ${type}!) { answer: ${field}(input: $input) { ${selection} } }`
  return { document, variables: { input }, read: reads(read) }
}

const publication = z.strictObject({ publication: publicationFact }).transform((payload) => payload.publication)
const action = z.strictObject({ action: z.string() }).transform((payload) => payload.action.toLowerCase())

/** The payload of a mutation, whose publication has another name where it is a reply. */
const selectedAt = (door: Door) => `publication${door === 'post' ? '' : ': reply'} { ${publicationSelection} }`

const userBy = (user: string) => (user.startsWith('@') ? { username: user.slice(1) } : { uuid: user })

const lists = {
  replies: { selection: publicationSelection, fact: publicationFact },
  likers: { selection: userSelection, fact: userFact },
  posts: { selection: postSelection, fact: publicationFact },
  likes: { selection: publicationSelection, fact: publicationFact },
  following: { selection: userSelection, fact: userFact },
  followers: { selection: userSelection, fact: userFact },
} as const

function listOf(request: PublicationList | UserList, uuidOf: UuidOf): Operation {
  const { name, page } = request
  const first = sizeOf(request)
  const { selection, fact } = lists[name]
  const isOfUser = 'user' in request
  const list = `uuid list: ${name}(first: $first, offset: $offset) { nodes { ${selection} } pageInfo { hasNextPage } }`
  const post = name === 'replies' ? `post: post(uuid: $uuid) { ${publicationSelection} }` : ''
  const data = z.strictObject({
    owner: z
      .strictObject({
        uuid: z.string(),
        list: z
          .strictObject({ nodes: z.array(fact), pageInfo: z.strictObject({ hasNextPage: z.boolean() }) })
          .nullable(),
      })
      .nullable(),
    post: publicationFact.nullable().optional(),
  })
  return {
    document: isOfUser
      ? `query ($by: UserBy!, $first: Int, $offset: Int) { owner: user(by: $by) { ${list} } }`
      : `query ($uuid: UUID!, $first: Int, $offset: Int) { owner: post(uuid: $uuid) { ${list} } ${post} }`,
    variables: {
      ...(isOfUser ? { by: userBy(request.user) } : { uuid: uuidOf(request.publication) }),
      first,
      offset: (page - 1) * first,
    },
    read: (answer) => {
      const { owner, post } = data.parse(answer)
      if (owner === null) return null
      if (owner.list === null) return { refused: 'FORBIDDEN' }
      const { nodes, pageInfo } = owner.list
      const of = {
        replies: { post },
        likers: { post: owner.uuid },
        posts: { user: owner.uuid },
        likes: { user: owner.uuid },
        following: {},
        followers: {},
      }[name]
      return { ...of, [name]: nodes, more: pageInfo.hasNextPage }
    },
  }
}

function operationOf(request: Request, uuidOf: UuidOf): Operation {
  switch (request.name) {
    case 'send': {
      const { door, content, locked, parent } = request
      const input = { content, locked, parent: parent === undefined ? undefined : uuidOf(parent) }
      const [field, type] = door === 'post' ? ['sendPost', 'SendPostInput'] : ['sendReply', 'SendReplyInput']
      return mutation(field, type, selectedAt(door), publication, input)
    }
    case 'edit': {
      const { door, content, locked, publication: number } = request
      const field = door === 'post' ? 'updatePost' : 'updateReply'
      return mutation(field, 'UpdatePostInput', selectedAt(door), publication, {
        uuid: uuidOf(number),
        content,
        locked,
      })
    }
    case 'delete': {
      const { door, publication: number } = request
      const field = door === 'post' ? 'deletePost' : 'deleteReply'
      return mutation(field, 'DeletePostInput', selectedAt(door), publication, { uuid: uuidOf(number) })
    }
    case 'like': {
      const field = request.door === 'post' ? 'toggleLike' : 'toggleReplyLike'
      return mutation(field, 'ToggleLikeInput', 'action', action, { uuid: uuidOf(request.publication) })
    }
    case 'setLike': {
      const { publication: number, liked } = request
      return mutation('setLike', 'SetLikeInput', 'action', action, { uuid: uuidOf(number), liked })
    }
    case 'follow':
      return mutation('toggleFollow', 'ToggleFollowInput', 'action', action, { uuid: request.user })
    case 'profile': {
      const viewer = z.strictObject({ viewer: profileFact }).transform((payload) => payload.viewer)
      const { displayName, bio } = request
      return mutation('updateProfile', 'UpdateProfileInput', `viewer { ${profileSelection} }`, viewer, {
        displayName,
        bio,
      })
    }
    case 'post': {
      const document = `query ($uuid: UUID!) { answer: post(uuid: $uuid) { ${publicationSelection} } }`
      return { document, variables: { uuid: uuidOf(request.publication) }, read: reads(publicationFact) }
    }
    case 'reply': {
      const document = `query ($uuid: UUID!) { answer: reply(uuid: $uuid) {
        uuid parentUuid author { uuid } content from { uuid } locked
        replies(first: 5) { nodes { ${publicationSelection} } }
      } }`
      return { document, variables: { uuid: uuidOf(request.publication) }, read: reads(replyFact) }
    }
    case 'publications': {
      const document = `query ($uuids: [UUID!]!) { posts: publications(uuids: $uuids) { ${publicationSelection} } }`
      const fact = z.strictObject({ posts: z.array(publicationFact.nullable()) })
      return { document, variables: { uuids: request.publications.map(uuidOf) }, read: (data) => fact.parse(data) }
    }
    case 'viewer':
      return { document: `{ answer: viewer { ${profileSelection} } }`, read: reads(profileFact) }
    case 'user': {
      const document = `query ($by: UserBy!) { answer: user(by: $by) { ${profileSelection} } }`
      return { document, variables: { by: userBy(request.user) }, read: reads(profileFact) }
    }
    case 'homeTimeline':
    case 'publicTimeline':
      throw new TypeError('A timeline has several pages')
    default:
      return listOf(request, uuidOf)
  }
}

async function pagesOf(app: TestApp, token: string, { name, size, isBackward }: Timeline): Promise<unknown> {
  const [count, edge, more, next] = isBackward
    ? (['last', 'before', 'hasPreviousPage', 'startCursor'] as const)
    : (['first', 'after', 'hasNextPage', 'endCursor'] as const)
  const document = `query ($size: Int!, $cursor: String) {
    answer: ${name}(${count}: $size, ${edge}: $cursor) {
      nodes { ${postSelection} } pageInfo { more: ${more} next: ${next} }
    }
  }`
  const fact = z.strictObject({
    answer: z.strictObject({
      nodes: z.array(publicationFact),
      pageInfo: z.strictObject({ more: z.boolean(), next: z.string().nullable() }),
    }),
  })
  const pages: unknown[] = []
  for (let cursor: string | null = null; ; ) {
    const { data } = await app.graphql(token, document, { size, cursor })
    const { nodes, pageInfo } = fact.parse(data).answer
    pages.push(nodes)
    if (!pageInfo.more) return pages
    cursor = pageInfo.next
  }
}

/** Sends a request over GraphQL, and returns what the model returns for it. */
export async function overGraphQL(app: TestApp, token: string, request: Request, uuidOf: UuidOf): Promise<unknown> {
  if (request.name === 'homeTimeline' || request.name === 'publicTimeline') return pagesOf(app, token, request)
  const { document, variables, read } = operationOf(request, uuidOf)
  const { data, errors } = await app.graphql(token, document, variables)
  if (errors.length > 0) return { refused: refusals.parse(errors)[0].extensions.code }
  return read(data) ?? { refused: 'NOT_FOUND' }
}
