import { createYoga, type YogaServerInstance } from 'graphql-yoga'
import type { ChangeWatch } from '../domain/change-watch.ts'
import type { Log } from '../log.ts'
import type { Documents } from '../operations/documents.ts'
import { isMasked, maskError } from '../operations/mask.ts'
import type { RequestContext } from '../operations/pipeline.ts'
import { useAnalysis } from '../operations/use-analysis.ts'
import { useCompiledExecution } from '../operations/use-compiled-execution.ts'
import { useTracing } from '../operations/use-tracing.ts'
import { type Context, createContext, type Service } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import { isTraced } from '../tracing.ts'
import { useDocuments } from './use-documents.ts'
import { type GraphiQLPage, useGraphiQLPage } from './use-graphiql-page.ts'
import { useLogLine } from './use-log-line.ts'
import { type GraphQLContext, useParameters } from './use-parameters.ts'
import { useSubscriptions } from './use-subscriptions.ts'
import { type TrustedDocuments, useTrustedDocuments } from './use-trusted-documents.ts'

/** The GraphQL server. */
export type GraphQLServer = YogaServerInstance<GraphQLContext, Context>

/** What the GraphQL server is made of. */
export type GraphQLParts = {
  readonly service: Service
  readonly documents: Documents
  readonly watch: ChangeWatch
  readonly trusted: TrustedDocuments
  /** Undefined where browsers get no GraphiQL. */
  readonly graphiql: GraphiQLPage | undefined
  readonly log: Log
}

/**
 * The GraphQL server: a request to `/graphql` passes through these plugins, from top to bottom. One whose operation has run before enters
 * after `useDocuments` (`answerKnown`), and REST at `createContext`, both by `getEnveloped`.
 */
export function createGraphQL({ service, documents, watch, trusted, graphiql, log }: GraphQLParts) {
  const yoga: GraphQLServer = createYoga<GraphQLContext, Context>({
    schema,
    plugins: [
      useLogLine(),
      useGraphiQLPage(graphiql),
      useParameters(),
      ...useTrustedDocuments(trusted),
      useDocuments(documents),
      useAnalysis(documents, log),
      useCompiledExecution(watch, log),
      useSubscriptions((context) => yoga.getEnveloped(context), documents, watch, log),
      ...(isTraced() ? [useTracing()] : []),
    ],
    extraParamNames: ['documentId'],
    context: (request: RequestContext) => createContext(service, request),
    // The plugins mask their errors. What is not masked yet is a fault of the pipeline itself.
    maskedErrors: { maskError: (error) => (isMasked(error) ? error : maskError(error, 'operation', 'unknown', log)) },
    // Fastify does all of this.
    cors: false,
    logging: false,
    maxRequestBodySize: false,
    healthCheckEndpoint: '#',
    // `useDocuments` and `useGraphiQLPage` do this.
    parserAndValidationCache: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
  })
  return yoga
}
