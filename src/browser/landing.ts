import './bar.ts'
import './landing.css'
import { byId, linkToGraphiQL, messageOf } from './element.ts'
import { run } from './graphql.ts'
import { prefix } from './prefix.ts'
import { authorization } from './session.ts'

const query = `query HomeTimeline {
  homeTimeline(first: 3) {
    nodes {
      content
      likeCount
      author { displayName followerCount }
      replies(first: 2) {
        nodes {
          content
          author { displayName }
        }
      }
    }
  }
}`

/** Runs the query with the token in use. */
async function show(): Promise<void> {
  byId('answer').textContent = authorization().Authorization
    ? await run(query, {}).then((data) => JSON.stringify({ data }, null, 2), messageOf)
    : 'Sign in or sign up above to run this query.'
}

byId('query').textContent = query
linkToGraphiQL({ query })
byId('curl').textContent = `curl -s ${location.origin}${prefix}/graphql \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"query":"{ homeTimeline(first: 3) { nodes { content author { displayName } replies(first: 2) { nodes { content } } } } }"}'`
addEventListener('token', show)
show()
