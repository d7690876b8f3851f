/*
 * What an agent does: a client of the Model Context Protocol lists the tools, finds a field of the schema by words, checks
 * what a query costs, and runs it.
 *
 * In one terminal start the server; take the token that it prints to another one:
 *
 *   npm ci && npm start
 *   ROOKERY_TOKEN=rookery_… npm run example:agent -- home timeline
 *
 * ROOKERY_URL names another server than http://127.0.0.1:4000.
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

  /** Calls a tool and prints what it answers. */
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
