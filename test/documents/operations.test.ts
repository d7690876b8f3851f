import { describe, expect, test } from 'vitest'
import { servingLimits, servingSettings } from '../../src/data/serving-settings.ts'
import { textOf } from '../support/source-files.ts'

describe('docs/operations.md', () => {
  test('lists the settings that a connection pooler needs', () => {
    const documented = [...textOf('docs/operations.md').matchAll(/ALTER DATABASE rookery SET (\w+)/g)]
    const set = Object.keys({ ...servingSettings, ...servingLimits })
    expect(documented.map(([, name]) => name).sort()).toEqual(set.map((name) => name.toLowerCase()).sort())
  })
})
