/**
 * Generates the types of your documents with graphql-codegen. Copy this file, and run `npx graphql-codegen --config codegen.ts`. It needs
 * @graphql-codegen/cli, @graphql-codegen/typescript and @graphql-codegen/typescript-operations.
 */
import type { Types } from '@graphql-codegen/plugin-helpers'

const config: Types.Config = {
  // The schema with descriptions and scopes. It can be read without a token.
  schema: `${process.env.ROOKERY_URL ?? 'http://127.0.0.1:4000'}/schema.graphql`,
  documents: 'src/**/*.graphql',
  config: {
    // All four are strings in JSON.
    scalars: { DateTime: 'string', EmailAddress: 'string', LanguageTag: 'string', URL: 'string', UUID: 'string' },
  },
  generates: {
    'src/generated/graphql.ts': { plugins: ['typescript', 'typescript-operations'] },
  },
}

export default config
