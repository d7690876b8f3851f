import '../features/base/error-code.ts'
import '../features/base/node.ts'
import '../features/base/rate-limit.ts'
import '../features/accounts/schema.ts'
import '../features/accounts/mutations.ts'
import '../features/accounts/token-schema.ts'
import '../features/accounts/second-factor/schema.ts'
import '../features/server-info/schema.ts'
import '../features/posts/schema.ts'
import '../features/posts/hashtags.ts'
import '../features/posts/mutations.ts'
import '../features/relations/schema.ts'
import '../features/follow-requests/schema.ts'
import '../features/follow-requests/mutations.ts'
import '../features/timelines/schema.ts'
import '../features/timelines/items.ts'
import '../features/timelines/threads.ts'
import '../features/search/schema.ts'
import '../features/notifications/schema.ts'
import '../features/changes/schema.ts'
import '../features/applications/schema.ts'
import '../features/moderation/schema.ts'
import '../features/moderation/report-schema.ts'
import '../features/moderation/appeal-schema.ts'
import '../features/invitations/schema.ts'
import '../features/deletion/schema.ts'
import '../features/approval/schema.ts'
import { builder } from '../features/base/builder.ts'

const description = `A social network that is used only through its API: people publish short posts, reply, like, follow and block.

Requests need a bearer token, in the header \`Authorization: Bearer rookery_…\`. \`signUp\` and \`signIn\` return one with all \
scopes that the account may have, and \`createAccessToken\` issues tokens with fewer. The description of a field names the scopes \
that it requires.

Lists are Relay connections with \`nodes\` and \`totalCount\`. Pass \`pageInfo.endCursor\` as \`after\` to get the next page. \
\`node\` finds any object by its \`id\`.

Errors have a code in \`extensions.code\`, one of \`ErrorCode\`. \`VALIDATION_FAILED\` lists each invalid field in \
\`extensions.errors\`, \`INSUFFICIENT_SCOPE\` the missing sets of scopes in \`extensions.requiredScopes\`. After a right \
password, \`SECOND_FACTOR_REQUIRED\` has \`extensions.challenge\` for \`confirmSignIn\`.`

/** The schema that both APIs run on. */
export const schema = builder.toSchema()
schema.description = description

/** The schema as text with its directives, which is the content of `schema.graphql`. */
export async function printedSchema(): Promise<string> {
  const { printSchemaWithDirectives } = await import('@graphql-tools/utils')
  return `${printSchemaWithDirectives(schema)}\n`
}
