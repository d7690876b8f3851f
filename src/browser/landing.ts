import './bar.ts'
import './landing.css'
import { curl, showCode } from './code.ts'
import { latestPost } from './documents.ts'
import { byId, linkToGraphiQL, messageOf } from './dom.ts'
import { run } from './graphql.ts'
import statement from './landing/statement.sql?raw'
import { authorization, currentToken } from './token.ts'

/** Runs the query with the token in use. */
async function show(): Promise<void> {
  const token = currentToken()
  const answer = authorization().Authorization
    ? await run(latestPost, {}).then((data) => JSON.stringify({ data }, null, 2), messageOf)
    : 'The response appears here once you are signed in.'
  if (token === currentToken()) showCode(byId('answer'), answer)
}

showCode(byId('query'), latestPost)
showCode(byId('statement'), statement.trimEnd())
linkToGraphiQL({ query: latestPost })
byId('curl').textContent = curl({ query: latestPost.replaceAll(/\s+/g, ' ') })
addEventListener('token', show)
show()
