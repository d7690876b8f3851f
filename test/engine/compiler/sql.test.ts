import { expect, test } from 'vitest'
import { comma, sql } from '../../../src/engine/compiler/sql.ts'

test('a template accepts other SQL and numbers', () => {
  const row = sql`t1`
  expect(sql`${row}.id = $${4} and true`.text).toBe('t1.id = $4 and true')
  expect(sql.join([sql`a`, sql`b`], comma).text).toBe('a, b')
})

test('a template rejects strings, which could be user input', () => {
  const sent: string = "'; drop table users; --"
  // @ts-expect-error A string is not SQL.
  sql`select ${sent}`
  // @ts-expect-error An object with a text is not SQL.
  sql`select ${{ text: sent, length: 1 }}`
  expect(sql.literal(sent).text).toBe("'''; drop table users; --'")
  expect(sql.identifier('a"b').text).toBe('"a""b"')
})
