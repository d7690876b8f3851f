import './bar.ts'
import './landing.css'
import { curl } from './curl.ts'
import { byId, linkToGraphiQL, messageOf } from './element.ts'
import { run } from './graphql.ts'
import { authorization } from './session.ts'

const query = `query HomeTimeline {
  homeTimeline(first: 1) {
    nodes {
      content
      likeCount
      author { displayName }
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
    : 'The response appears here once you are signed in.'
}

byId('query').textContent = query
linkToGraphiQL({ query })
byId('curl').textContent = curl({ query: query.replaceAll(/\s+/g, ' ') })
addEventListener('token', show)
show()
