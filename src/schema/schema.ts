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
import { type GraphQLSchema, isObjectType } from 'graphql'
import { builder } from './builder.ts'
import { withScopes } from './scope.ts'

/** The schema of the service, which both surfaces run on. */
export const schema = withPlainProperties(withScopes(builder.toSchema()))

/** The schema without the resolvers that only take the property of their name, so that a compiled operation takes it itself. */
function withPlainProperties(built: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(built.getTypeMap())) {
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      if (field.extensions.pothosExposedField === field.name) delete field.resolve
    }
  }
  return built
}

/** The schema as text, with its directives, as `schema.graphql` has it. */
export async function printedSchema(): Promise<string> {
  const { printSchemaWithDirectives } = await import('@graphql-tools/utils')
  return `${printSchemaWithDirectives(schema)}\n`
}
