import { describe, expect, test } from 'vitest'
import { textOf } from '../support/project/source-files.ts'
import { openapi } from '../support/rest/openapi.ts'

/** The rows of the first table below a heading, with the texts of their cells. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = textOf('docs/rest-compatibility.md').split(`\n## ${heading}\n`)
  const [, , ...rows] = /(?:^\|.*\n)+/m.exec(section)?.[0].trimEnd().split('\n') ?? []
  return rows.map((row) => row.slice(2, -2).split(' | '))
}

const codesIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

/** Sets of scopes in one order, without those that need more than another. */
const inOrder = (sets: readonly (readonly string[])[]) =>
  sets
    .filter((set) => !sets.some((other) => other !== set && other.every((scope) => set.includes(scope))))
    .map((set) => set.toSorted().join(' '))
    .toSorted()

describe('docs/rest-compatibility.md', () => {
  const paths = tableBelow('Documented paths')

  test('has the documented paths', () => {
    expect(paths).toHaveLength(16)
  })

  test.each(paths)('names %s with the scopes of its operation', (request, scopes = '') => {
    const [method = '', path = ''] = codesIn(request)[0]?.split(' ') ?? []
    const template = path.replace('{UUID}', path.startsWith('/user') ? '{user}' : '{uuid}')
    const operation = openapi.paths[template]?.[method.toLowerCase()]
    const required = operation?.security.flatMap((scheme) => ('token' in scheme ? [scheme.token] : [])) ?? []
    const [named = ''] = scopes.split(';')
    expect(inOrder(named.split(' / ').map(codesIn))).toEqual(inOrder(required))
  })

  test.each(tableBelow('Documented shapes'))('names all fields that a %s has by default', (object, fields) => {
    const schema = { post: 'Post', user: 'OwnUser', reply: 'Reply' }[object]
    expect(openapi.components.schemas[schema ?? '']?.required).toEqual(codesIn(fields))
  })
})
