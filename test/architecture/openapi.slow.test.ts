import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../src/engine/errors.ts'
import { printedOpenApi } from '../../src/engine/rest/openapi/document.ts'
import { scopes } from '../../src/features/base/scopes.ts'
import { rest } from '../../src/server/rest.ts'
import { schema } from '../../src/server/schema.ts'
import { sourceFiles, textOf } from '../support/project/source-files.ts'
import { type CalledAnswer, checkDocumented } from '../support/rest/documented-answers.ts'
import { faultsOf, headerOf, openapi, parametersOf, responseOf } from '../support/rest/openapi.ts'

const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods))

/** Runs an installed linter without network access. */
function lint(command: string, ...args: string[]) {
  const root = new URL('../..', import.meta.url).pathname
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { status, stdout, stderr } = spawnSync(`${root}node_modules/.bin/${command}`, args, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...quiet },
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

describe('the OpenAPI document', () => {
  test('is identical to docs/openapi.json', () => {
    expect(printedOpenApi(rest, schema), 'docs/openapi.json is out of date: npm run schema').toBe(
      textOf('docs/openapi.json'),
    )
  })

  test('passes the strict rules of Redocly', () => {
    expect(lint('redocly', 'lint', 'docs/openapi.json', '--config=test/architecture/redocly.yaml')).toMatchObject({
      status: 0,
    })
  })

  test('passes the rules of Spectral and OWASP', () => {
    expect(
      lint(
        'spectral',
        'lint',
        'docs/openapi.json',
        '--ruleset=test/architecture/spectral.yaml',
        '--fail-severity=hint',
      ),
    ).toMatchObject({ status: 0 })
  })

  test('has a valid example of every header and parameter', () => {
    const responses = operations.flatMap(({ responses }) => Object.values(responses).map(responseOf))
    const headers = responses.flatMap(({ headers }) => Object.values(headers).map(headerOf))
    const examples = [...headers, ...operations.flatMap(parametersOf)]
    expect(examples.length).toBeGreaterThan(100)
    expect(examples.flatMap(({ schema, example }) => faultsOf(schema, example, 'example'))).toEqual([])
  })

  test('has no two components whose names differ in case alone, which generators write to the same file', () => {
    const names = Object.values(openapi.components).flatMap((components) => Object.keys(components))
    const folded = names.map((name) => name.toLowerCase())
    expect(names.filter((_name, at) => folded.indexOf(folded[at] ?? '') !== at)).toEqual([])
  })

  test('requires every scope', () => {
    const asked = new Set(
      operations.flatMap(({ security }) => security.flatMap((scheme) => ('token' in scheme ? scheme.token : []))),
    )
    expect([...scopes].filter((scope) => !asked.has(scope))).toEqual([])
    expect(asked.size).toBe(scopes.length)
  })

  test('has every error code except METHOD_NOT_ALLOWED and those of GraphQL', () => {
    const told = Object.keys(errorCodes).filter((code) => textOf('docs/openapi.json').includes(`"const": "${code}"`))
    const inGraphQLOnly = ['DOCUMENT_NOT_TRUSTED', 'PERSISTED_QUERY_NOT_SUPPORTED']
    expect(
      Object.keys(errorCodes)
        .filter((code) => !told.includes(code))
        .toSorted(),
    ).toEqual(['METHOD_NOT_ALLOWED', ...inGraphQLOnly].toSorted())
  })
})

describe('the response check', () => {
  const message = { _message: 'liked' }
  const { Link: _, ...common } = Object.fromEntries(
    Object.entries(openapi.components.headers).map(([name, { example }]) => [name.toLowerCase(), String(example)]),
  )
  const headers = (more: Record<string, string> = {}) => {
    const names = Object.keys(openapi.components.responses.NotFound?.headers ?? {}).map((name) => name.toLowerCase())
    const needed = Object.entries(common).filter(([name]) => names.includes(name))
    return new Map([
      ...needed,
      ...Object.entries({ 'content-type': 'application/json', 'api-version': 'V26.05.28', ...more }),
    ])
  }
  const path = '/api/v1/like/019ab2c4-9f30-7e5c-8b22-7d3e4f506172'
  const good: CalledAnswer = { method: 'PUT', path, status: 200, headers: headers(), body: JSON.stringify(message) }

  test('accepts documented responses', () => {
    expect(() => checkDocumented(good)).not.toThrow()
  })

  test.each<[string, Partial<CalledAnswer>, RegExp]>([
    ['another status', { status: 201 }, /no such status/],
    [
      'a missing header',
      { headers: new Map([...headers()].filter(([name]) => name !== 'x-request-id')) },
      /x-request-id/,
    ],
    ['a property more', { body: JSON.stringify({ ...message, more: 1 }) }, /additional properties/],
  ])('stops at %s', (_what, change, fault) => {
    expect(() => checkDocumented({ ...good, ...change })).toThrow(fault)
  })

  test('is applied to every REST request in the tests', () => {
    // Nginx answers the requests of the last one itself.
    const others = ['test/support/rest/call.ts', 'test/support/http/raw-request.ts', 'test/faults/nginx.slow.test.ts']
    const own = sourceFiles('test').filter((path) => !others.includes(path))
    const calls = /\bfetch\(`[^`]*\/api\/v1/
    const inRest = /\bfetch\(|from 'node:https?'/
    const around = own.filter((path) => (path.startsWith('test/engine/rest/') ? inRest : calls).test(textOf(path)))
    expect(around).toEqual([])
  })
})
