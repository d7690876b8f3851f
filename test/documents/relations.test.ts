import { expect, test } from 'vitest'
import { inWords, relations } from '../../src/features/base/relations.ts'
import { textOf } from '../support/project/source-files.ts'

test.each(relations)('the lines of an export, as documents list them, have what the viewer can $verb', ({ name }) => {
  const [sentence = ''] = /Each line has a `type`[^\n]*/.exec(textOf('docs/api.md')) ?? []
  expect(sentence).toContain(`\`${name.one}\``)
})

test('the table of what is kept has all relations', () => {
  const names = inWords(relations.map(({ name }) => name.many))
  expect(textOf('docs/operate.md')).toContain(`\n| ${names}, with their times |`)
})
