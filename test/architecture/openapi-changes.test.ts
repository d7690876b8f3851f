import { describe, expect, test } from 'vitest'
import { breakingOpenApiChanges } from '../support/openapi-changes.ts'
import { type Json, type JsonObject, objectOf } from '../support/openapi-document.ts'

const document: JsonObject = {
  openapi: '3.1.1',
  servers: [{ url: '/api/v1' }],
  paths: {
    '/post/{uuid}': {
      parameters: [{ name: 'uuid', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      get: {
        operationId: 'getPost',
        security: [{ token: ['post.get'] }, { token: ['reply.get'] }],
        parameters: [
          { $ref: '#/components/parameters/limit' },
          { name: 'order', in: 'query', schema: { enum: ['asc', 'desc'], default: 'asc' } },
        ],
        responses: {
          '200': {
            description: 'The post.',
            headers: { Link: { required: true, schema: { type: 'string' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Post' } } },
          },
          '404': {
            description: 'There is none.',
            content: { 'application/problem+json': { schema: { type: 'object', additionalProperties: false } } },
          },
        },
      },
      patch: {
        operationId: 'updatePost',
        requestBody: {
          content: {
            'application/json': {
              schema: {
                allOf: [
                  {
                    type: 'object',
                    properties: { content: { type: 'string', minLength: 1, maxLength: 500 } },
                    required: ['content'],
                  },
                  {
                    properties: {
                      lock: { type: ['boolean', 'null'] },
                      tags: { type: 'array', items: { type: 'string' } },
                    },
                  },
                ],
              },
            },
          },
        },
        responses: { '200': { description: 'It.', content: { 'application/json': { schema: true } } } },
      },
    },
  },
  components: {
    parameters: {
      limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
    },
    schemas: {
      Post: {
        type: 'object',
        description: 'A post.',
        required: ['uuid', 'action', 'from'],
        properties: {
          uuid: { type: 'string', format: 'uuid', maxLength: 36 },
          action: { enum: ['liked', 'unliked'] },
          from: { type: ['string', 'null'] },
          count: { type: 'integer', minimum: 0 },
          parent: { anyOf: [{ $ref: '#/components/schemas/Post' }, { type: 'null' }] },
          replies: { type: 'array', items: { $ref: '#/components/schemas/Post' } },
          author: { oneOf: [{ $ref: '#/components/schemas/User' }, { $ref: '#/components/schemas/Gone' }] },
        },
      },
      User: { type: 'object', required: ['gone'], properties: { gone: { const: false }, name: { type: 'string' } } },
      Gone: { type: 'object', required: ['gone'], properties: { gone: { const: true } } },
    },
  },
}

const memberOf = (value: Json | undefined, name: string) =>
  Array.isArray(value) ? value[Number(name)] : objectOf(value)[name]

/** The document with the value at a path replaced; without one, removed. */
function changed(path: string, value?: Json): JsonObject {
  const copy = structuredClone(document)
  const names = path.split(' ')
  const last = names.pop() ?? ''
  const holder = objectOf(names.reduce<Json | undefined>(memberOf, copy))
  if (value === undefined) delete holder[last]
  else holder[last] = value
  return copy
}

const get = 'paths /post/{uuid} get'
const patch = 'paths /post/{uuid} patch'
const body = `${patch} requestBody content application/json schema allOf`
const post = 'components schemas Post'
const limit = 'components parameters limit'

describe('the comparison of OpenAPI documents', () => {
  test('finds no difference between equal documents', () => {
    expect(breakingOpenApiChanges(document, structuredClone(document))).toEqual([])
  })

  test.each<[string, Json | undefined, string]>([
    ['servers', [{ url: '/api/v2' }], 'server /api/v1: removed'],
    ['paths /post/{uuid}', undefined, '/post/{uuid}: removed'],
    [get, undefined, 'GET /post/{uuid}: removed'],
    [`${get} operationId`, 'readPost', 'GET /post/{uuid}: operationId was getPost, is readPost'],
    [
      `${get} security`,
      [{ token: ['post.get'] }],
      'GET /post/{uuid}: security {"token":["reply.get"]}: no longer suffices',
    ],
    [
      `${get} security 1 token`,
      ['reply.get', 'x'],
      'GET /post/{uuid}: security {"token":["reply.get"]}: no longer suffices',
    ],
    [`${patch} security`, [{ token: [] }], 'PATCH /post/{uuid}: security {}: no longer suffices'],
    [
      `${get} parameters`,
      [{ $ref: '#/components/parameters/limit' }],
      'GET /post/{uuid}: query parameter order: removed',
    ],
    [
      `${patch} parameters`,
      [{ name: 'why', in: 'query', required: true, schema: {} }],
      'PATCH /post/{uuid}: query parameter why: now required',
    ],
    [`${limit} required`, true, 'GET /post/{uuid}: query parameter limit: now required'],
    [`${limit} schema minimum`, 2, 'GET /post/{uuid}: query parameter limit: minimum was 1, is 2'],
    [`${limit} schema maximum`, 50, 'GET /post/{uuid}: query parameter limit: maximum was 100, is 50'],
    [`${limit} schema multipleOf`, 5, 'GET /post/{uuid}: query parameter limit: multipleOf was none, is 5'],
    [`${limit} schema type`, 'string', 'GET /post/{uuid}: query parameter limit: type integer became string'],
    [`${limit} style`, 'deepObject', 'GET /post/{uuid}: query parameter limit: style was undefined, is deepObject'],
    [`${get} parameters 1 schema enum`, ['asc'], 'GET /post/{uuid}: query parameter order: may no longer be "desc"'],
    [
      `${get} parameters 1 schema default`,
      'desc',
      'GET /post/{uuid}: query parameter order: default was "asc", is "desc"',
    ],
    [
      'paths /post/{uuid} parameters 0 schema pattern',
      '^a',
      'GET /post/{uuid}: path parameter uuid: pattern was none, is "^a"',
    ],
    [`${patch} requestBody`, undefined, 'PATCH /post/{uuid}: body: removed'],
    [`${patch} requestBody required`, true, 'PATCH /post/{uuid}: body: now required'],
    [`${patch} requestBody content`, { 'text/plain': {} }, 'PATCH /post/{uuid}: body: application/json: removed'],
    [`${body} 1 required`, ['lock'], 'PATCH /post/{uuid}: body: application/json: $.lock: now required'],
    [`${body} 1 properties lock`, undefined, 'PATCH /post/{uuid}: body: application/json: $.lock: removed'],
    [
      `${body} 1 properties lock type`,
      'boolean',
      'PATCH /post/{uuid}: body: application/json: $.lock: may no longer be null',
    ],
    [
      `${body} 1 properties tags items type`,
      'integer',
      'PATCH /post/{uuid}: body: application/json: $.tags[]: type string became integer',
    ],
    [
      `${body} 0 properties content maxLength`,
      100,
      'PATCH /post/{uuid}: body: application/json: $.content: maxLength was 500, is 100',
    ],
    [
      `${body} 0 properties content enum`,
      ['Hello'],
      'PATCH /post/{uuid}: body: application/json: $.content: is now one of a list',
    ],
    [
      `${body} 0 additionalProperties`,
      false,
      'PATCH /post/{uuid}: body: application/json: $: may have no further members',
    ],
    [`${get} responses 404`, undefined, 'GET /post/{uuid}: response 404: removed'],
    [`${get} responses 204`, { description: '' }, 'GET /post/{uuid}: response 204: new'],
    [`${get} responses 200 content`, { 'text/html': {} }, 'GET /post/{uuid}: response 200: application/json: removed'],
    [`${get} responses 200 headers`, undefined, 'GET /post/{uuid}: response 200: header Link: removed'],
    [
      `${get} responses 200 headers Link required`,
      false,
      'GET /post/{uuid}: response 200: header Link: may now be absent',
    ],
    [`${post} properties uuid`, undefined, 'schemas/Post.uuid: removed'],
    [`${post} required`, ['uuid', 'from'], 'schemas/Post.action: may now be absent'],
    [`${post} properties uuid type`, ['string', 'null'], 'schemas/Post.uuid: may now be null'],
    [`${post} properties uuid format`, undefined, 'schemas/Post.uuid: format was "uuid", is none'],
    [`${post} properties uuid maxLength`, 40, 'schemas/Post.uuid: maxLength was 36, is 40'],
    [`${post} properties count minimum`, undefined, 'schemas/Post.count: minimum was 0, is none'],
    [`${post} properties count type`, 'number', 'schemas/Post.count: type integer became number'],
    [`${post} properties action enum`, ['liked', 'unliked', 'x'], 'schemas/Post.action: may now be "x"'],
    [`${post} properties action`, { type: 'string' }, 'schemas/Post.action: is no longer one of a list'],
    [`${post} properties parent`, { type: ['string', 'null'] }, 'schemas/Post.parent: may now be string'],
    [`${post} properties replies items`, {}, 'schemas/Post.replies[]: type object became anything'],
    ['components schemas Gone properties gone const', null, 'schemas/Gone.gone: may now be null'],
    ['components schemas User properties name', undefined, 'schemas/User.name: removed'],
  ])('breaks clients with another %s: %j', (path, value, change) => {
    expect(breakingOpenApiChanges(document, changed(path, value))).toContain(change)
  })

  test.each<[string, Json | undefined]>([
    ['paths /user', { get: { responses: {} } }],
    [`${get} description`, 'Other words.'],
    [`${get} deprecated`, true],
    [`${get} security`, [{ token: ['post.get'] }, { token: ['reply.get'] }, { key: [] }]],
    [`${get} security 0 token`, []],
    [`${patch} parameters`, [{ name: 'why', in: 'query', schema: { type: 'string' } }]],
    [`${limit} schema maximum`, 1000],
    [`${limit} schema minimum`, undefined],
    [`${limit} schema type`, 'number'],
    [`${get} parameters 1 schema enum`, ['asc', 'desc', 'none']],
    ['paths /post/{uuid} parameters 0 schema format', undefined],
    [`${body} 0 required`, []],
    [`${body} 0 properties content maxLength`, 1000],
    [`${body} 0 properties content type`, ['string', 'null']],
    [`${body} 0 properties more`, { type: 'string' }],
    [`${get} responses 410`, { description: 'Gone.' }],
    [`${get} responses 200 headers More`, { schema: {} }],
    [`${get} responses 404 content application/problem+json schema additionalProperties`, true],
    [`${post} required`, ['uuid', 'action', 'from', 'count']],
    [`${post} properties more`, { type: 'string' }],
    [`${post} properties from type`, 'string'],
    [`${post} properties uuid maxLength`, 30],
    [`${post} properties uuid pattern`, '^[0-9a-f-]+$'],
    [`${post} properties action enum`, ['liked']],
    [`${post} properties parent`, { type: 'null' }],
    [`${post} properties author`, { $ref: '#/components/schemas/Gone' }],
  ])('breaks nobody with another %s: %j', (path, value) => {
    expect(breakingOpenApiChanges(document, changed(path, value))).toEqual([])
  })

  test('reports a shared component once and handles recursion', () => {
    expect(breakingOpenApiChanges(document, changed(`${post} properties count`))).toEqual([
      'schemas/Post.count: removed',
    ])
  })

  test('reports unresolved references', () => {
    expect(() => breakingOpenApiChanges(document, changed('components schemas Gone'))).toThrow(
      '#/components/schemas/Gone',
    )
  })
})
