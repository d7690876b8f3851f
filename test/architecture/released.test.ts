import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { breakingOpenApiChanges } from '../support/openapi-facts.ts'
import {
  breakingGraphQLChanges,
  dangerousGraphQLChanges,
  declaredChanges,
  disagreements,
  graphqlSchemaOf,
  openApiOf,
} from '../support/release.ts'
import { textOf } from '../support/source-files.ts'

const agreement = { undeclared: [], outdated: [] }
const released = 'test/architecture/released'
const advice = `Undo the change, or declare it in ${released}/breaking-changes.json with a reason`

describe('API documents since the last release', () => {
  const { since, graphql, openapi } = declaredChanges()

  test('schema.graphql has only declared breaking changes', () => {
    const [before, after] = [graphqlSchemaOf(`${released}/schema.graphql`), graphqlSchemaOf('schema.graphql')]
    const dangerous = dangerousGraphQLChanges(before, after)
    if (dangerous.length > 0) console.info([`May surprise clients of ${since}:`, ...dangerous].join('\n  '))
    expect(disagreements(breakingGraphQLChanges(before, after), graphql), advice).toEqual(agreement)
  })

  test('openapi.json has only declared breaking changes', () => {
    const changes = breakingOpenApiChanges(openApiOf(`${released}/openapi.json`), openApiOf('openapi.json'))
    expect(disagreements(changes, openapi), advice).toEqual(agreement)
  })
})

describe('the check for breaking changes', () => {
  const sdl = textOf('schema.graphql')

  /** The schema with one of its lines replaced. */
  function changed(from: RegExp, to: string) {
    const text = sdl.replace(from, to)
    expect(text).not.toBe(sdl)
    return [buildSchema(sdl), buildSchema(text)] as const
  }

  test.each([
    ['a removed field', /^ {2}likeCount: Int!$/m, '  others: Int!', 'Post.likeCount was removed.'],
    ['a field that became nullable', /^ {2}content: String!$/m, '  content: String', 'Post.content changed type from'],
    [
      'an input field that became required',
      /^ {2}locked: Boolean$/m,
      '  locked: Boolean!',
      'SendPostInput.locked changed type',
    ],
    ['a removed enum value', /^ {2}FOLLOWED$/m, '  OTHER', 'FOLLOWED was removed from enum type FollowAction.'],
    [
      'a new required argument',
      /^ {2}replies\($/m,
      '  replies(\n    more: Int!',
      'A required arg more on Post.replies was added.',
    ],
    ['a changed field type', /^ {2}bio: String!$/m, '  bio: Int!', 'User.bio changed type from String! to Int!.'],
  ])('finds %s in GraphQL', (_, from, to, change) => {
    const changes = breakingGraphQLChanges(...changed(from, to))
    expect(changes).toEqual(expect.arrayContaining([expect.stringContaining(change)]))
  })

  const before = openApiOf('openapi.json')
  const restChanges = (edit: (text: string) => string) => {
    const text = JSON.stringify(before)
    const edited = edit(text)
    expect(edited).not.toBe(text)
    return breakingOpenApiChanges(before, z.record(z.string(), z.unknown()).parse(JSON.parse(edited)))
  }

  test.each([
    ['a removed path', '"/like/{uuid}":', '"/likes/{uuid}":', 'no longer: PUT /like/{uuid} is toggleReplyLike'],
    ['a removed property', '"like_count":{"type"', '"likes":{"type"', 'no longer: GET /post/{uuid} 200.like_count'],
    ['a lower limit', '"maxLength":500', '"maxLength":400', 'new: POST /post body.content: maxLength 400'],
    [
      'a parameter that became required',
      '"name":"limit","in":"query"',
      '"name":"limit","in":"query","required":true',
      'new: GET /user/{user}/posts query limit is required',
    ],
    ['a removed value', '"liked"', '"adored"', 'new: POST /post/{uuid}/like 200.action may be "adored"'],
    [
      'a property that may be null',
      '"bio":{"type":"string"',
      '"bio":{"type":["string","null"]',
      'new: GET /user 200.bio may be "null"',
    ],
    [
      'a new required member',
      '"required":["content"]',
      '"required":["content","locked"]',
      'new: POST /post body has locked',
    ],
    ['other scopes', '"post.get","post.like"', '"post.like"', 'no longer: POST /post/{uuid}/like with'],
  ])('finds %s in REST', (_, from, to, change) => {
    expect(restChanges((text) => text.replaceAll(from, to)).join('\n')).toContain(change)
  })

  test('accepts additions to REST', () => {
    const more = '"properties":{"more":{"type":"string"},'
    expect(restChanges((text) => text.replaceAll('"properties":{', more))).toEqual([])
  })

  test('lists dangerous changes in GraphQL separately', () => {
    const [before, after] = changed(/^ {2}FOLLOWED$/m, '  FOLLOWED\n  REQUESTED')
    expect(breakingGraphQLChanges(before, after)).toEqual([])
    expect(dangerousGraphQLChanges(before, after)).toEqual(['REQUESTED was added to enum type FollowAction.'])
  })

  test('accepts exactly the declared changes', () => {
    const declared = [{ change: 'Field Post.likeCount was removed.', reason: 'It was never right.' }]
    const [change] = declared.map((it) => it.change)
    expect(disagreements([String(change)], declared)).toEqual(agreement)
    expect(disagreements([String(change), 'Field Post.uuid was removed.'], declared)).toEqual({
      undeclared: ['Field Post.uuid was removed.'],
      outdated: [],
    })
    expect(disagreements([], declared)).toEqual({ undeclared: [], outdated: [change] })
  })
})
