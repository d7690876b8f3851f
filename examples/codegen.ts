/**
 * The types of your documents with graphql-codegen: copy this file, and run `npx graphql-codegen --config codegen.ts`. It needs
 * @graphql-codegen/cli, @graphql-codegen/typescript and @graphql-codegen/typescript-operations.
 */
import type { Types } from '@graphql-codegen/plugin-helpers'

const config: Types.Config = {
  // The schema with descriptions and scopes. It needs no token.
  schema: `${process.env.ROOKERY_URL ?? 'http://127.0.0.1:4000'}/schema.graphql`,
  documents: 'src/**/*.graphql',
  config: {
    // JSON has strings for all four.
    scalars: { DateTime: 'string', EmailAddress: 'string', URL: 'string', UUID: 'string' },
  },
  generates: {
    'src/generated/graphql.ts': { plugins: ['typescript', 'typescript-operations'] },
  },
}

export default config
