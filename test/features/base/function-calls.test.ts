import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../src/engine/data/database.ts'
import { calledFunctions } from '../../../src/features/base/function-calls.ts'
import { openTestDatabase } from '../../support/database.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test.each(Object.entries(calledFunctions))(
  '%s has the parameters of its calls, and only defaults besides',
  async (name, declared) => {
    const rows = await database.write.prisma.$queryRaw<{ parameters: unknown }[]>`
    select json_object_agg(proargnames[place], format_type(type, null)::regtype::oid) as parameters
    from pg_proc, unnest(proargtypes) with ordinality argument(type, place)
    where proname = ${name} and pronamespace = current_schema()::regnamespace
      and (place <= pronargs - pronargdefaults or proargnames[place] = any(${Object.keys(declared)}::text[]))`
    const [types] = await database.write.prisma.$queryRaw<{ parameters: unknown }[]>`
    select json_object_agg(name, type::regtype::oid) as parameters
    from unnest(${Object.keys(declared)}::text[], ${Object.values(declared)}::text[]) given(name, type)`
    expect(rows).toEqual([types])
  },
)
