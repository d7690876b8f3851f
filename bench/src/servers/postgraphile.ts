import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import type { PgSelectSingleStep } from 'postgraphile/@dataplan/pg'
import { TYPES } from 'postgraphile/@dataplan/pg'
import { makePgService } from 'postgraphile/adaptors/pg'
import { context, operationPlan } from 'postgraphile/grafast'
import { grafserv } from 'postgraphile/grafserv/node'
import { type SQL, sql } from 'postgraphile/pg-sql2'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { extendSchema, gql } from 'postgraphile/utils'
import { announce, settings } from './child.ts'

declare global {
  namespace Grafast {
    interface Context {
      viewer?: string
    }
  }
}

const { databaseUrl, pool } = settings()
const viaSettings = process.argv[2] === 'settings'

// The viewer as a parameter of the statement: PostGraphile then needs no transaction for a query, and what the fields need is
// part of the statement instead of a function that it calls for each row.
const viewerFields = extendSchema(() => {
  const flag = ($row: PgSelectSingleStep, condition: (id: SQL, viewer: SQL) => SQL) => {
    const $select = $row.getClassStep()
    const $viewer = operationPlan().withRootLayerPlan(() => context().get('viewer'))
    const viewer = $select.placeholder($viewer, TYPES.uuid)
    return $row.select(condition(sql`${$select.alias}.id`, viewer), TYPES.boolean)
  }
  return {
    typeDefs: gql`
      extend type Publication { likedByViewer: Boolean! }
      extend type User { followedByViewer: Boolean! }
    `,
    objects: {
      Publication: {
        plans: {
          likedByViewer: ($publication: PgSelectSingleStep) =>
            flag(
              $publication,
              (id, viewer) =>
                sql`exists (select from likes l where l.publication_id = ${id} and l.user_id = ${viewer})`,
            ),
        },
      },
      User: {
        plans: {
          followedByViewer: ($user: PgSelectSingleStep) =>
            flag(
              $user,
              (id, viewer) =>
                sql`exists (select from follows f where f.followee_id = ${id} and f.follower_id = ${viewer})`,
            ),
        },
      },
    },
  }
})

const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: viaSettings ? [] : [viewerFields],
  // The indexes here are partial, and the plugin counts none of those.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [
    makePgService({ connectionString: databaseUrl, schemas: ['public'], poolConfig: { max: pool }, pubsub: false }),
  ],
  grafast: {
    explain: false,
    context: ({ node }) => {
      const viewer = node?.req.headers['x-viewer']
      if (typeof viewer !== 'string') return {}
      return viaSettings ? { pgSettings: { 'bench.viewer': viewer } } : { viewer }
    },
  },
  grafserv: { graphiql: false, outputDataAsString: true, websockets: false, watch: false },
})

const server = createServer()
server.on('error', (error) => process.stderr.write(`${error.stack}\n`))
await pgl.createServ(grafserv).addTo(server)
await pgl.getSchema()
announce(server)
