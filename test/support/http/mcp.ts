import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { authorization } from '../rest/call.ts'

const textOf = z.object({ content: z.tuple([z.object({ text: z.string() })]), isError: z.boolean().optional() })

/** What a tool answered. */
export type ToolAnswer = { readonly text: string; readonly isError: boolean }

/** Reads the result of a tool. */
export function answerOf(result: unknown): ToolAnswer {
  const { content, isError = false } = textOf.parse(result)
  return { text: content[0].text, isError }
}

/** An agent of a token, connected to `/mcp`. */
export type Agent = {
  readonly client: Client
  call(name: string, input?: Record<string, unknown>): Promise<ToolAnswer>
  /** The JSON of an answer. */
  json(name: string, input?: Record<string, unknown>): Promise<unknown>
  tools(): Promise<readonly string[]>
}

/** Connects the client of the protocol. */
export async function connectAgent(origin: string, token: string, options: ClientOptions = {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, options)
  const requestInit = { headers: authorization(token) }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit }))
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    answerOf(await client.callTool({ name, arguments: input }))
  return {
    client,
    call,
    json: async (name, input) => JSON.parse((await call(name, input)).text),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
  }
}

/** Sends one message as it is. */
export function postMcp(
  origin: string,
  token: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...authorization(token), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** The message that calls a tool. */
export const toolCall = (name: string, input: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: input },
})
