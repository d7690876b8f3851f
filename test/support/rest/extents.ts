import { z } from 'zod'
import { type Operation, openapi, responseOf } from './openapi.ts'

const objects = z.object({ properties: z.record(z.string(), z.unknown()), required: z.array(z.string()).default([]) })
const reference = z.object({ $ref: z.string() })
const alternatives = z.object({ anyOf: z.array(z.unknown()) })
const lists = z.object({ items: z.unknown() })
const members = z.record(z.string(), z.unknown())

/**
 * How the keys of a response differ from the schema in the OpenAPI document: by default an object has what the schema requires, and with
 * full views all that it has, in its order.
 */
export function keyFaults(operation: Operation | undefined, body: unknown, isFull: boolean): readonly string[] {
  const response = operation?.responses['200']
  const schema = response && responseOf(response).content['application/json']?.schema
  return schema ? faultsOf(schema, body, isFull, 'body') : []
}

function faultsOf(schema: unknown, value: unknown, isFull: boolean, at: string): readonly string[] {
  const { $ref } = reference.safeParse(schema).data ?? {}
  if ($ref) return faultsOf(openapi.components.schemas[$ref.split('/').at(-1) ?? ''], value, isFull, at)
  if (value === null) return []
  const { anyOf } = alternatives.safeParse(schema).data ?? {}
  if (anyOf) {
    const found = anyOf.map((each) => faultsOf(each, value, isFull, at))
    return found.find((faults) => faults.length === 0) ?? found.flat()
  }
  if (Array.isArray(value)) {
    const { items } = lists.parse(schema)
    return value.flatMap((item, index) => faultsOf(items, item, isFull, `${at}[${index}]`))
  }
  if (typeof value !== 'object') return []
  const { data } = objects.safeParse(schema)
  if (!data) return [`${at} is no object`]
  const expected = isFull ? Object.keys(data.properties) : data.required
  if (Object.keys(value).join() !== expected.join()) return [`${at} has ${Object.keys(value)} instead of ${expected}`]
  const inner = members.parse(value)
  return expected.flatMap((key) => faultsOf(data.properties[key], inner[key], isFull, `${at}.${key}`))
}
