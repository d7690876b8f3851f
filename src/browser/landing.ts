import './bar.ts'
import './code.css'
import './landing.css'
import { byId, setSearch } from './element.ts'
import { graphql, run } from './graphql.ts'
import { authorization } from './session.ts'

const query = graphql(`query HomeTimeline {
  homeTimeline(first: 3) {
    nodes {
      content
      likeCount
      author {
        displayName
        followerCount
      }
      replies(first: 2) {
        nodes {
          content
          author {
            displayName
          }
        }
      }
    }
  }
}`)

const answer = byId('answer', HTMLElement)

/** Runs the query with the token in use. */
async function show(): Promise<void> {
  if (!authorization().Authorization) {
    answer.textContent = 'Sign in or sign up above to run this query.'
    return
  }
  try {
    answer.textContent = JSON.stringify({ data: await run(query, {}) }, null, 2)
  } catch (error) {
    answer.textContent = error instanceof Error ? error.message : String(error)
  }
}

byId('query', HTMLElement).textContent = query.source
setSearch('in-graphiql', { query: query.source })
byId('curl', HTMLElement).textContent = `curl -s ${location.origin}/graphql \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"query":"{ homeTimeline(first: 3) { nodes { content author { displayName } replies(first: 2) { nodes { content } } } } }"}'`
addEventListener('token', show)
show()
