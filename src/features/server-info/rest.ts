import { graphql } from '../../engine/rest/graphql.ts'
import { operation } from '../../engine/rest/operation.ts'
import { lowerCase, view } from '../../engine/rest/view.ts'
import { maxLanguages } from '../base/bounds.ts'
import { limitNames } from '../limits/declarations.ts'
import { sampleServerLimit, serverAccountLimitView } from '../limits/rest.ts'
import { serverFeatures } from './settings.ts'

/** For how many seconds caches keep what the server says. */
const cachedFor = 60

const limits = {
  contentLength: 500,
  warningLength: 200,
  displayNameLength: 50,
  bioLength: 500,
  usernameLength: 30,
  passwordLength: 128,
  minPasswordLength: 8,
  commentLength: 1_000,
  searchLength: 200,
  pageSize: 20,
  maxPageSize: 100,
  maxLookups: 100,
  maxBodySize: 65_536,
}

const limitsView = view('ServerLimits', 'ServerLimits', 'Limits of a server.', limits, {
  content_length: 'contentLength',
  warning_length: 'warningLength',
  display_name_length: 'displayNameLength',
  bio_length: 'bioLength',
  username_length: 'usernameLength',
  password_length: 'passwordLength',
  min_password_length: 'minPasswordLength',
  comment_length: 'commentLength',
  search_length: 'searchLength',
  page_size: 'pageSize',
  max_page_size: 'maxPageSize',
  max_lookups: 'maxLookups',
  max_body_size: 'maxBodySize',
})

const serverView = view(
  'Server',
  'Server',
  'What a server says of itself.',
  {
    name: 'The Nest',
    description: 'For all who watch rooks.',
    rules: '1. Be kind.\n2. Name your sources.\n',
    contact: 'rooks@nest.example',
    version: '0.1.0',
    signUp: 'OPEN' as const,
    languages: ['en', 'nl'],
    features: ['EMAIL' as const, 'INTROSPECTION' as const],
    limits,
    accountLimits: [sampleServerLimit],
    accountEstimate: 1_200,
    publicationEstimate: 56_000,
  },
  {
    name: 'name',
    description: 'description',
    rules: 'rules',
    contact: 'contact',
    version: 'version',
    sign_up: ['signUp', lowerCase],
    languages: ['languages', (tags: readonly string[]) => tags, { maxItems: maxLanguages }],
    features: [
      'features',
      (features: readonly string[]) => features.map(lowerCase),
      { maxItems: Object.keys(serverFeatures).length },
    ],
    limits: ['limits', limitsView],
    account_limits: ['accountLimits', serverAccountLimitView, { maxItems: limitNames.length }],
    account_estimate: 'accountEstimate',
    publication_estimate: 'publicationEstimate',
  },
)

/** Get server, which the interface does not have. */
export const getServer = operation({
  route: 'GET /server',
  summary: 'Get what the server says of itself',
  description: 'Requires no token. Caches may keep the response for a minute.',
  document: graphql('query GetServer { server { ...Server } }', [serverView.fragment]),
  view: serverView,
  of: ({ server }) => server,
  tagged: { resource: () => ({}) },
  cachedFor,
})
