import type { z } from 'zod'
import { hoursKept } from '../../domain/idempotency.ts'
import { usernameKeptDays } from '../../domain/username.ts'
import { entityTagList } from '../../http/entity-tags.ts'
import { idempotencyHeader, longestIdempotencyKey } from '../../http/idempotency-key.ts'
import { afterHeader, positionFormat, positionHeader } from '../../http/position.ts'
import { pageSize } from '../../page-size.ts'
import { longestPoll } from '../feed.ts'
import { type Documented, hasPageInPath, isRepeatable } from '../operation.ts'
import { sampleHashtag } from '../operations/hashtags.ts'
import { lastPage } from '../pages.ts'
import { hashtagFormat, longestHashtagInPath, usernameFormat, uuidFormat } from '../paths.ts'
import { sampleReport } from '../schemas/moderation.ts'
import { samplePost } from '../schemas/posts.ts'
import { cursor, int32, matching, sentUuid } from '../schemas/types.ts'
import { sampleUser } from '../schemas/users.ts'
import { headers } from './headers.ts'
import { type Json, ref } from './json.ts'

const sourceOf = (format: RegExp) => format.source.replace(/^\^|\$$/g, '')

const user = matching(new RegExp(`^(?:${sourceOf(usernameFormat)}|${sourceOf(uuidFormat)})$`), 36, 2)

const number = int32.min(1).max(lastPage(1))

const page = {
  name: 'page',
  description:
    'The page number, from 1. What is added to or removed from the list moves its pages. Other values are refused with 422.',
  example: 1,
}

const inPath = (name: string, schema: z.ZodType, description: string, example: unknown) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  example,
})

const entityTags = matching(entityTagList, 4_000)

/** Tools send the examples as they are, those of optional headers too, so each of them has to work. */
const otherTag = headers.ETag.example

/** The parameters that several operations share: those of paths by their names. */
export const parameterComponents: Json = {
  uuid: inPath('uuid', sentUuid, 'The uuid of the post or reply. A malformed value gets 404.', samplePost.uuid),
  user: inPath(
    'user',
    user,
    `The user, as a uuid or \`@username\`. A former username works for ${usernameKeptDays} days. A malformed value gets 404.`,
    `@${sampleUser.username}`,
  ),
  report: inPath('report', sentUuid, 'The uuid of the report. A malformed value gets 404.', sampleReport.uuid),
  name: inPath(
    'name',
    matching(hashtagFormat, longestHashtagInPath, 1),
    'The hashtag without its sign, in any case, percent-encoded. A malformed value gets 404.',
    sampleHashtag,
  ),
  page: { ...page, in: 'path', required: true, schema: number },
  pageOfList: { ...page, in: 'query', schema: number.meta({ default: 1 }) },
  after: {
    name: afterHeader,
    in: 'header',
    description: `The \`${positionHeader}\` of the response to a write, which the response to this request then reflects. A malformed value gets 400.`,
    schema: matching(positionFormat, 16, 16),
    example: headers[positionHeader].example,
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Refuses the request with 412 if the post or reply was edited after the response that had one of these entity tags; `*` matches any state. Only edits count: replies and likes do not.',
    schema: entityTags,
    example: '*',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Requests a response only if it has none of these entity tags; `*` matches any.',
    schema: entityTags,
    example: otherTag,
  },
  noneMatchOfWrite: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'Refuses the request with 412 if reading the post or reply at this path has one of these entity tags; `*` matches any.',
    schema: entityTags,
    example: otherTag,
  },
}

const after = {
  name: 'after',
  in: 'query',
  description:
    'The cursor of the `Link` of an earlier response. By default now: the page is empty. Another value is refused with 422, and one that is too old with 410.',
  schema: cursor,
  example: 'AAAAAAdQAAAAAAAqZ4kEOQ',
}

const afterInList = {
  name: 'after',
  in: 'query',
  description: 'The cursor of an entry, after which the page begins. Another value is refused with 422.',
  schema: cursor,
  example: 'AZqyxMJje4-OVaBhcoOUBQ',
}

const prefer = {
  name: 'Prefer',
  in: 'header',
  description: `With \`after\` and \`wait=25\`, an empty page is only returned after so many seconds, at most ${longestPoll}, and a page with changes as soon as there are some (RFC 7240).`,
  schema: matching(/^wait=[0-9]+$/, 14, 6),
  example: 'wait=5',
}

/** A key of its own for each operation, because the same key cannot name two requests. */
const idempotencyKey = ({ id }: Documented): Json => ({
  name: idempotencyHeader,
  in: 'header',
  description: `A key of the client for this write, 1 to ${longestIdempotencyKey} visible ASCII characters, with or without quotes. The same request with the same key is done once: for ${hoursKept} hours, its response is repeated (IETF draft-ietf-httpapi-idempotency-key-header).`,
  schema: matching(/^[!-~]+$/, longestIdempotencyKey + 2, 1),
  example: `${id}-1`,
})

/** The parameters of an operation. */
export function parametersOf(operation: Documented): Json[] {
  const { path, query = {}, list, tagged, conditionalOn, method } = operation
  const { by, size = pageSize.default } = list ?? {}
  const shared = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (conditionalOn) shared.push('ifMatch', 'noneMatchOfWrite')
  if (tagged && method === 'GET') shared.push('ifNoneMatch')
  if (!isRepeatable(operation)) shared.push('after')
  if (by === 'number' && !hasPageInPath(operation)) shared.push('pageOfList')
  const limit = {
    name: 'limit',
    in: 'query',
    description: 'The maximum number of items on the page.',
    schema: int32.min(1).max(pageSize.max).meta({ default: size }),
    example: size,
  }
  return [
    ...shared.map((name) => ref('parameters', name)),
    ...(isRepeatable(operation) ? [idempotencyKey(operation)] : []),
    ...Object.entries(query).map(([name, { argument: _, ...parameter }]) => ({ name, in: 'query', ...parameter })),
    ...(by === 'feed' ? [after, prefer] : []),
    ...(by === 'cursor' ? [afterInList] : []),
    ...(list ? [limit] : []),
  ]
}
