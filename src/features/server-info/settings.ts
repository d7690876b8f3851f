import type { Services } from '../../engine/execution/request-context.ts'
import type { Estimates } from './estimates.ts'

declare module '../../engine/execution/request-context.ts' {
  interface Services {
    readonly siteName: string
    /** What the server is for, in plain text. */
    readonly siteDescription?: string | undefined
    /** The languages of the server, as canonical tags. */
    readonly siteLanguages: readonly string[]
    /** The rules of the server, in Markdown. */
    readonly rules?: string | undefined
    /** Whether browsers get GraphiQL at `/graphql`. */
    readonly graphiql: boolean
    /** Whether agents are served at `/mcp`. */
    readonly mcp: boolean
    /** Whether clients may read the GraphQL schema. */
    readonly introspection: boolean
    /** Whether applications may register themselves (RFC 7591). */
    readonly clientRegistration: boolean
    /** Whether only stored GraphQL documents are run. */
    readonly onlyTrustedDocuments: boolean
    /** How many accounts and publications there are, approximately. */
    readonly estimates: Estimates
  }
}

type Feature = { readonly meaning: string; readonly isOn: (services: Services) => boolean }

/** What servers have or lack by their settings. */
export const serverFeatures: Readonly<Record<string, Feature>> = {
  ANY_DOCUMENT: {
    meaning: 'GraphQL runs any document, not only stored ones.',
    isOn: ({ onlyTrustedDocuments }) => !onlyTrustedDocuments,
  },
  CLIENT_REGISTRATION: {
    meaning: 'Applications can register themselves (RFC 7591).',
    isOn: ({ clientRegistration }) => clientRegistration,
  },
  EMAIL: { meaning: 'The server sends e-mails.', isOn: ({ mail }) => mail !== undefined },
  GRAPHIQL: { meaning: 'Browsers get GraphiQL at `/graphql`.', isOn: ({ graphiql }) => graphiql },
  INTROSPECTION: { meaning: 'Clients can read the GraphQL schema.', isOn: ({ introspection }) => introspection },
  MCP: { meaning: 'Agents are served at `/mcp`.', isOn: ({ mcp }) => mcp },
  MEMBER_INVITATIONS: {
    meaning: 'All accounts can invite others, not only those of moderators.',
    isOn: ({ admission: { invitations, signUp } }) => invitations === 'members' && signUp !== 'closed',
  },
  SECOND_FACTOR: {
    meaning: 'Accounts can have a second factor.',
    isOn: ({ authenticators }) => authenticators !== undefined,
  },
}

/** The names of what is switched on, in the order of the declaration. */
export const featuresOf = (services: Services): readonly string[] =>
  Object.entries(serverFeatures).flatMap(([name, { isOn }]) => (isOn(services) ? [name] : []))

/** The maximum size of the rules, in bytes of UTF-8. */
export const longestRules = 65_536

/** The longest description of a server, in characters. */
export const longestDescription = 500

/** The longest contact, in characters. */
export const longestContact = 500
