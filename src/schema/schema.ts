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
import { printSchemaWithDirectives } from '@graphql-tools/utils'
import { builder } from './builder.ts'
import { withScopes } from './scope.ts'

/** The schema of the service, which both surfaces run on. */
export const schema = withScopes(builder.toSchema())

/** The schema as text, with its directives, as `schema.graphql` has it. */
export function printedSchema(): string {
  return `${printSchemaWithDirectives(schema)}\n`
}
