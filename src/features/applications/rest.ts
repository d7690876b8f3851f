import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { seconds, view } from '../../engine/rest/view.ts'
import { applicationView, sampleApplication, scopesInRest } from '../accounts/rest-views.ts'
import { redirectUriBounds } from './applications.ts'

const ownApplicationView = view(
  'OwnApplication',
  'Application',
  'An application of the viewer.',
  { ...sampleApplication, redirectUris: ['https://loom.example/callback'], deviceFlow: false },
  {
    uuid: 'uuid',
    name: 'name',
    website: 'website',
    redirect_uris: ['redirectUris', undefined, { maxItems: redirectUriBounds.count }],
    device_flow: 'deviceFlow',
  },
)

/** Get applications, which the interface does not have. */
export const getApplications = list('Applications', {
  route: 'GET /application',
  summary: "Get the viewer's applications",
  by: 'cursor',
  field: 'applications',
  view: ownApplicationView,
})

/** Create application, which the interface does not have. */
export const createApplication = operation({
  route: 'POST /application',
  summary: 'Register an application',
  description:
    'Access tokens can then be created for it. With redirect URIs or the device flow, it can connect to accounts by OAuth.',
  body: { example: { name: 'Loom', website: sampleApplication.website } },
  document: graphql(
    `mutation CreateApplication($name: String!, $website: URL, $redirect_uris: [String!], $device_flow: Boolean) {
      createApplication(
        input: { name: $name, website: $website, redirectUris: $redirect_uris, deviceFlow: $device_flow }
      ) { application { ...OwnApplication } }
    }`,
    [ownApplicationView.fragment],
  ),
  view: ownApplicationView,
  of: ({ createApplication }) => createApplication.application,
  errors: ['CONFLICT'],
})

/** Update application, which the interface does not have. */
export const updateApplication = operation({
  route: 'PATCH /application/{application}',
  summary: 'Update an application',
  description: 'Changes one of the applications of the viewer.',
  body: { example: { name: 'Loom 2' } },
  document: graphql(
    `mutation UpdateApplication(
      $uuid: UUID!, $name: String, $website: URL, $redirect_uris: [String!], $device_flow: Boolean
    ) {
      updateApplication(
        input: { uuid: $uuid, name: $name, website: $website, redirectUris: $redirect_uris, deviceFlow: $device_flow }
      ) { application { ...OwnApplication } }
    }`,
    [ownApplicationView.fragment],
  ),
  view: ownApplicationView,
  of: ({ updateApplication }) => updateApplication.application,
})

/** Delete application, which the interface does not have. */
export const deleteApplication = operation({
  route: 'DELETE /application/{application}',
  summary: 'Delete an application',
  description:
    'Deletes one of the applications of the viewer, with all tokens that were issued to it and its authorizations by other accounts. ' +
    'What was published with it stays.',
  document: graphql(
    `mutation DeleteApplication($uuid: UUID!) {
      deleteApplication(input: { uuid: $uuid }) { application { ...OwnApplication } }
    }`,
    [ownApplicationView.fragment],
  ),
  view: ownApplicationView,
  of: ({ deleteApplication }) => deleteApplication.application,
  result: 'The application just before it was deleted.',
})

/** An authorization of the sample application. */
export const sampleAuthorization = {
  uuid: '019ab2c4-e485-7dab-9077-c28394051627',
  application: sampleApplication,
  scopes: ['POST_GET' as const, 'POST_SEND' as const],
  createdAt: '2026-07-27T12:00:00.000Z',
  lastUsedAt: '2026-07-28T09:30:00.000Z',
  expiresAt: '2026-10-25T12:00:00.000Z',
}

const authorizationView = view(
  'Authorization',
  'Authorization',
  'What the viewer has allowed an application to do, on one device or in one browser.',
  sampleAuthorization,
  {
    uuid: 'uuid',
    application: ['application', applicationView],
    scopes: ['scopes', scopesInRest, { uniqueItems: true, maxItems: 100 }],
    created_at: ['createdAt', seconds],
    last_used_at: ['lastUsedAt', seconds],
    expires_at: ['expiresAt', seconds],
  },
)

/** Get authorizations, which the interface does not have. */
export const getAuthorizations = list('Authorizations', {
  route: 'GET /authorization',
  summary: 'Get what the viewer has allowed applications to do',
  by: 'cursor',
  field: 'authorizations',
  view: authorizationView,
})

/** Revoke authorization, which the interface does not have. */
export const revokeAuthorization = operation({
  route: 'DELETE /authorization/{authorization}',
  summary: 'End an authorization',
  description:
    'Revokes all tokens that its application got through it. The application stays connected through its others.',
  document: graphql(
    `mutation RevokeAuthorization($id: ID!) {
      revokeAuthorization(input: { id: $id }) { authorization { ...Authorization } }
    }`,
    [authorizationView.fragment],
  ),
  view: authorizationView,
  of: ({ revokeAuthorization }) => revokeAuthorization.authorization,
  result: 'The authorization just before it was revoked.',
})

const disconnectedView = view(
  'DisconnectedApplication',
  'DisconnectApplicationPayload',
  'How many authorizations were ended.',
  { revokedCount: 1 },
  { revoked_count: 'revokedCount' },
)

/** Disconnect application, which the interface does not have. */
export const disconnectApplication = operation({
  route: 'DELETE /application/{application}/authorization',
  summary: 'Disconnect an application',
  description: 'Ends all authorizations of an application by the viewer. Idempotent.',
  document: graphql(
    'mutation DisconnectApplication($uuid: UUID!) { disconnectApplication(input: { uuid: $uuid }) { ...DisconnectedApplication } }',
    [disconnectedView.fragment],
  ),
  view: disconnectedView,
  of: ({ disconnectApplication }) => disconnectApplication,
})
