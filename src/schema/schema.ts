import './account.ts'
import './access-token.ts'
import './application.ts'
import './follow.ts'
import './like.ts'
import './node.ts'
import './publication.ts'
import './publication-mutations.ts'
import './timeline.ts'
import './user.ts'
import { builder } from './builder.ts'
import { withComposedObjects } from './composed.ts'
import { withCosts } from './cost.ts'
import { withScopes } from './scope.ts'

/** The schema of the service, which both surfaces run on. */
export const schema = withCosts(withComposedObjects(withScopes(builder.toSchema())))

/** The schema as text, with its directives, as `schema.graphql` has it. */
export async function printedSchema(): Promise<string> {
  const { printSchemaWithDirectives } = await import('@graphql-tools/utils')
  return `${printSchemaWithDirectives(schema)}\n`
}
