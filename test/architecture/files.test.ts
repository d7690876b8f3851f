import { describe, expect, test } from 'vitest'
import { sourceFiles, textOf } from '../support/source-files.ts'

const longest = 300

describe('source files', () => {
  const files = ['src', 'test', 'examples'].flatMap(sourceFiles)

  test('have at most 300 lines', () => {
    const lengths = files.map((path) => ({ path, lines: textOf(path).trimEnd().split('\n').length }))
    expect(lengths.filter(({ lines }) => lines > longest)).toEqual([])
  })

  test('read environment variables in one place only', () => {
    const readers = sourceFiles('src').filter((path) => textOf(path).includes('process.env'))
    expect(readers).toEqual(['src/cli/settings.ts'])
  })
})

describe('docs/operations.md', () => {
  test('lists every configuration variable with its default', () => {
    const [, section = ''] = /^## Configuration\n(.*?)^## /ms.exec(textOf('docs/operations.md')) ?? []
    const rows = section.matchAll(/^- `(?<name>[A-Z_]+)`(?: \(`(?<byDefault>[^`]*)`\))?: \S/gm)
    const documented = [...rows].map(({ groups }) => ({ name: groups?.name, byDefault: groups?.byDefault }))

    const declared = textOf('src/config.ts').matchAll(/^ {2}(?<name>[A-Z_]+):.*?(?=^ {2}[A-Z_]+:|^\}\))/gms)
    const configured = [...declared].map(([text, name]) => {
      const [, byDefault] = /\.default\('?(.*?)'?\)/.exec(text) ?? []
      return { name, byDefault }
    })
    expect(configured.length).toBeGreaterThan(7)
    expect(documented).toEqual(configured)
  })
})
