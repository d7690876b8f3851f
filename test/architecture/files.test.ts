import { describe, expect, test } from 'vitest'
import { sourceFiles, textOf } from '../support/project/source-files.ts'

const longest = 400

const longestLine = 140

describe('source files', () => {
  const files = ['src', 'test', 'examples'].flatMap(sourceFiles)

  test('have at most 400 lines', () => {
    const lengths = files.map((path) => ({ path, lines: textOf(path).trimEnd().split('\n').length }))
    expect(lengths.filter(({ lines }) => lines > longest)).toEqual([])
  })

  test('have no line of more than 140 characters', () => {
    const long = sourceFiles('src').flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, index) => (line.length > longestLine ? [`${path}:${index + 1}`] : [])),
    )
    // A set of characters in a regular expression.
    expect(long).toEqual([expect.stringContaining('src/features/base/words.ts')])
  })

  test('read environment variables in one place only', () => {
    const readers = sourceFiles('src').filter((path) => textOf(path).includes('process.env'))
    expect(readers).toEqual(['src/cli/settings.ts'])
  })
})
