import { findBreakingChanges } from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { declaredChanges, disagreements, graphqlSchemaOf, openApiOf } from '../support/project/release.ts'
import { breakingOpenApiChanges } from '../support/rest/openapi-facts.ts'

const agreement = { undeclared: [], outdated: [] }
const released = 'test/architecture/released'
const advice = `Undo the change, or declare it in ${released}/breaking-changes.json with a reason`

describe('API documents since the last release', () => {
  const { graphql, openapi } = declaredChanges()

  test('schema.graphql has only declared breaking changes', () => {
    const [before, after] = [graphqlSchemaOf(`${released}/schema.graphql`), graphqlSchemaOf('schema.graphql')]
    const changes = findBreakingChanges(before, after).map(({ description }) => description)
    expect(disagreements(changes, graphql), advice).toEqual(agreement)
  })

  test('docs/openapi.json has only declared breaking changes', () => {
    const changes = breakingOpenApiChanges(openApiOf(`${released}/openapi.json`), openApiOf('docs/openapi.json'))
    expect(disagreements(changes, openapi), advice).toEqual(agreement)
  })
})

describe('the check for breaking changes', () => {
  const before = openApiOf('docs/openapi.json')
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
      'new: GET /user/{user}/posts/{page} query limit is required',
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
