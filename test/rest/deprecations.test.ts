import { MapperKind, mapSchema } from '@graphql-tools/utils'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Documents } from '../../src/operations/documents.ts'
import { fieldOf } from '../../src/rest/openapi/deprecations.ts'
import { printedOpenApi } from '../../src/rest/openapi/document.ts'
import { schema } from '../../src/schema/schema.ts'

const deprecated = z.object({ deprecated: z.literal(true).optional(), description: z.string().optional() })
const component = z.object({ properties: z.record(z.string(), deprecated).default({}) })
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), deprecated)),
  components: z.object({ schemas: z.record(z.string(), component) }),
})

/** What is deprecated in the document of a schema in which an element, such as `Reply.likeCount`, is, as `deprecationReason` at a field does. */
function marksWith(element: string) {
  const mark = <Config extends object>(config: Config, name: string, type: string): Config =>
    element === `${type}.${name}` ? { ...config, deprecationReason: 'Too old.' } : config
  const changed = mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: mark,
    [MapperKind.INPUT_OBJECT_FIELD]: mark,
  })
  const { paths, components } = document.parse(
    JSON.parse(printedOpenApi(new Documents(changed, { introspection: true }))),
  )
  const marked = (at: string, elements: Record<string, z.infer<typeof deprecated>>) =>
    Object.entries(elements)
      .filter(([, it]) => it.deprecated)
      .map(([name, { description }]) => `${at}${name}: ${/Deprecated: .*$/.exec(description ?? '')?.[0]}`)
  return [
    ...Object.entries(paths).flatMap(([path, methods]) => marked(`${path} `, methods)),
    ...Object.entries(components.schemas).flatMap(([name, { properties }]) => marked(`${name}.`, properties)),
  ]
}

describe('an element deprecated in GraphQL', () => {
  test.each([
    ['Mutation.toggleLike', ['/post/{uuid}/like post']],
    ['Mutation.toggleReplyLike', ['/like/{uuid} put']],
    ['Query.viewer', ['/user get']],
    ['SendPostInput.locked', ['SendPostBody.locked', 'SendPostBody.lock']],
    ['UpdatePostInput.content', ['UpdatePostBody.content', 'UpdateReplyBody.content']],
    ['Reply.likeCount', ['Post.like_count']],
    ['Reply.locked', ['Post.locked', 'Reply.lock']],
    ['User.followerCount', ['Author.follower_count', 'User.follow_count', 'OwnUser.follow_count']],
    ['Query.homeTimeline', []],
  ])('is deprecated in REST: %s', (element, marks) => {
    expect(marksWith(element)).toEqual(marks.map((mark) => `${mark}: Deprecated: Too old.`))
  })

  test('is mapped for every REST property that GraphQL has', () => {
    const { components } = document.parse(JSON.parse(printedOpenApi()))
    const resources = ['Badge', 'Application', 'Author', 'User', 'OwnUser', 'Parent', 'Post', 'Reply']
    const without = resources.flatMap((name) =>
      Object.keys(components.schemas[name]?.properties ?? {}).flatMap((property) =>
        fieldOf(schema, name, property) ? [] : [`${name}.${property}`],
      ),
    )
    expect(without).toEqual(['Parent.deleted'])
  })
})
