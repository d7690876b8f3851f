import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { z } from 'zod'
import { textOf } from '../project/source-files.ts'

const reference = z.object({ $ref: z.string() })
const orReference = <Shape extends z.ZodType>(shape: Shape) => z.union([reference, shape])

const json = z.record(z.string(), z.unknown())
const header = z.object({ required: z.boolean(), schema: json, example: z.unknown() })
const content = z.record(z.string(), z.object({ schema: json }))
const response = z.object({
  description: z.string(),
  headers: z.record(z.string(), orReference(header)),
  content: content.default({}),
})
const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: json,
  example: z.unknown().optional(),
})
const operation = z.object({
  operationId: z.string(),
  security: z.array(z.object({ token: z.array(z.string()) }).or(z.object({ oauth: z.array(z.string()) }))),
  parameters: z.array(orReference(parameter)).default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), orReference(response)),
})

/** The parts of the stored OpenAPI document that the tests use. */
export const openapi = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.object({
      schemas: z.record(z.string(), json),
      parameters: z.record(z.string(), parameter),
      headers: z.record(z.string(), header),
      responses: z.record(z.string(), response),
    }),
  })
  .parse(JSON.parse(textOf('docs/openapi.json')))

/** An operation of the document. */
export type Operation = z.infer<typeof operation>

/** A response of the document. */
export type DocumentedResponse = z.infer<typeof response>

/** A header of the document. */
export type DocumentedHeader = z.infer<typeof header>

/** A parameter of the document. */
export type Parameter = z.infer<typeof parameter>

const nameIn = ({ $ref }: z.infer<typeof reference>) => $ref.split('/').at(-1) ?? ''

function known<Component>(components: Readonly<Record<string, Component>>, name: string): Component {
  const component = components[name]
  if (component === undefined) throw new Error(`The document has no component ${name}`)
  return component
}

/** Resolves a response or a reference to one. */
export function responseOf(it: Operation['responses'][string]): DocumentedResponse {
  return '$ref' in it ? known(openapi.components.responses, nameIn(it)) : it
}

/** Resolves a header or a reference to one. */
export function headerOf(it: DocumentedResponse['headers'][string]): DocumentedHeader {
  return '$ref' in it ? known(openapi.components.headers, nameIn(it)) : it
}

/** The resolved parameters of an operation. */
export function parametersOf({ parameters }: Operation): Parameter[] {
  return parameters.map((it) => ('$ref' in it ? known(openapi.components.parameters, nameIn(it)) : it))
}

/** The schema of the request body, if there is one. */
export function bodyOf({ requestBody }: Operation): Record<string, unknown> | undefined {
  const schema = requestBody?.content['application/json']?.schema
  const named = reference.safeParse(schema)
  return named.success ? known(openapi.components.schemas, nameIn(named.data)) : schema
}

const ajv = new Ajv2020({ allErrors: true, strictTypes: false })
formats.default(ajv)
ajv.addVocabulary(['components', 'example', 'discriminator'])

const root = 'urn:rookery:openapi'

/** Forbids undocumented members, although clients must accept them. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  const { success, data } = json.safeParse(schema)
  if (!success) return schema
  const inner = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, closed(value)]))
  return data.type === 'object' && data.properties ? { ...inner, additionalProperties: false } : inner
}

const schemas = Object.entries(openapi.components.schemas).map(([name, schema]) => [
  name,
  name.endsWith('Body') ? schema : closed(schema),
])
ajv.addSchema({ $id: root, components: { schemas: Object.fromEntries(schemas) } })

const validators = new Map<string, ValidateFunction>()

function validatorOf(schema: Readonly<Record<string, unknown>>): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', `"${root}#/`)
  const validate = validators.get(text) ?? ajv.compile(json.parse(JSON.parse(text)))
  validators.set(text, validate)
  return validate
}

/** The errors of a value against a schema of the document; empty if it is valid. */
export function faultsOf(schema: Readonly<Record<string, unknown>>, value: unknown, name: string): string[] {
  const validate = validatorOf(schema)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const { additionalProperty: undocumented } = params
    return `${name}${instancePath} ${message}${undocumented === undefined ? '' : `: ${undocumented}`}`
  })
}
