import { expect, test } from 'vitest'
import { relationFunction } from '../../../prisma/relation-sql.ts'
import { relations } from '../../../src/features/base/relations.ts'

test('the declarations of relations give these SQL functions', async () => {
  await expect(`${relations.map(relationFunction).join('\n\n')}\n`).toMatchFileSnapshot('relation-functions.sql')
})
