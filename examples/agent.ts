/*
 * What an agent does: a client of the Model Context Protocol lists the tools, searches the schema for a field, checks what a
 * query costs, and runs it.
 *
 * Start the server in one terminal. In another one, run the example with the token that the server prints:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example -- agent home timeline
 *
 * For a server at another address than http://127.0.0.1:4000, set ROOKERY_URL.
 */
import { Client, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Complaint, type Connection, refusedToken, run, unreachable } from './connection.ts'

const operation = 'query ($first: Int!) { homeTimeline(first: $first) { nodes { content author { username } } } }'

async function agent({ url, token }: Connection): Promise<void> {
  const client = new Client({ name: 'example', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client
    .connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
    .catch((error: unknown) => {
      if (error instanceof SdkHttpError && error.status === 401)
        throw refusedToken('It is unknown, expired or revoked.')
      throw error instanceof TypeError ? unreachable(url) : error
    })

  /** Calls a tool and prints its result. */
  async function call(name: string, input: Record<string, unknown>): Promise<void> {
    const { content, isError } = await client.callTool({ name, arguments: input })
    const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
    if (isError) throw text.includes('"INSUFFICIENT_SCOPE"') ? refusedToken(text) : new Complaint(text)
    process.stdout.write(`\n${name}\n${text}\n`)
  }

  const { tools } = await client.listTools()
  process.stdout.write(`Tools: ${tools.map(({ name }) => name).join(', ')}\n`)
  await call('search_schema', { words: process.argv.slice(2).join(' ') || 'home timeline' })
  await call('check_operation', { operation, variables: { first: 3 } })
  await call('query', { operation, variables: { first: 3 } })
  await client.close()
}

await run(agent, 'post.get reply.get user.get', '/mcp')
