import './account.ts'
import './account-deletion.ts'
import './access-token.ts'
import './application.ts'
import './authorization.ts'
import './change.ts'
import './email.ts'
import './error-code.ts'
import './relations.ts'
import './hashtag.ts'
import './moderation.ts'
import './node.ts'
import './notification.ts'
import './publication.ts'
import './publication-mutations.ts'
import './rate-limit.ts'
import './report.ts'
import './search.ts'
import './thread.ts'
import './timeline.ts'
import './user.ts'
import { builder } from './builder.ts'

const description = `A social network that is used only through its API: people publish short posts, reply, like, follow and block.

Requests need a bearer token, in the header \`Authorization: Bearer rookery_…\`. \`signUp\` and \`signIn\` return one with all scopes that the account may have, and \`createAccessToken\` issues tokens with fewer. The description of a field names the scopes that it requires.

Lists are Relay connections with \`nodes\` and \`totalCount\`. Pass \`pageInfo.endCursor\` as \`after\` to get the next page. \`node\` finds any object by its \`id\`.

Errors have a code in \`extensions.code\`, one of \`ErrorCode\`. \`VALIDATION_FAILED\` lists each invalid field in \`extensions.errors\`, and \`INSUFFICIENT_SCOPE\` the missing sets of scopes in \`extensions.requiredScopes\`.`

/** The schema that both APIs run on. */
export const schema = builder.toSchema()
schema.description = description

/** The schema as text with its directives, which is the content of `schema.graphql`. */
export async function printedSchema(): Promise<string> {
  const { printSchemaWithDirectives } = await import('@graphql-tools/utils')
  return `${printSchemaWithDirectives(schema)}\n`
}
