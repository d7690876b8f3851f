import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as operations from '@graphql-codegen/typescript-operations'
import { parse } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import config from '../../examples/codegen.ts'
import { startApp, type TestApp } from '../support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const document = `query Viewer { viewer { uuid avatar email joinedAt } }
mutation SignUp($input: SignUpInput!) { signUp(input: $input) { token } }`

test('graphql-codegen makes types of documents with the settings of the example', async () => {
  expect(config.schema).toBe('http://127.0.0.1:4000/schema.graphql')
  const schema = await (await fetch(`${app.origin}/schema.graphql`)).text()
  const [[filename = '', output] = []] = Object.entries(config.generates)
  const plugins = z.object({ plugins: z.array(z.string()) }).parse(output).plugins
  expect(plugins).toEqual(['typescript', 'typescript-operations'])
  const types = await codegen({
    filename,
    schema: parse(schema),
    documents: [{ document: parse(document) }],
    config: config.config ?? {},
    plugins: plugins.map((name) => ({ [name]: {} })),
    pluginMap: { typescript, 'typescript-operations': operations },
  })
  for (const scalar of ['DateTime', 'EmailAddress', 'LanguageTag', 'URL', 'UUID']) {
    expect(types).toMatch(new RegExp(`${scalar}: (?:string;|\\{ input: string; output: string; \\})`))
  }
  const viewer = types.slice(types.indexOf('export type ViewerQuery '))
  expect(viewer).toMatch(/uuid: string,? avatar: string,? email: string \| null,? joinedAt: string/)
  expect(types).not.toMatch(/put: (?:any|unknown)/)
})
