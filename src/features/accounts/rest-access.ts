import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { matching } from '../../engine/rest/openapi/json.ts'
import { descriptionOf } from '../../engine/rest/openapi/resolve.ts'
import { operation } from '../../engine/rest/operation.ts'
import { seconds, view } from '../../engine/rest/view.ts'
import { applicationView, ownUserView, sampleUser, sampleViewer, scopesInRest } from './rest-views.ts'

/** A password. */
export const samplePassword = 'correct horse battery staple'
const sampleNewPassword = 'incorrect horse battery staple'
/** A token, which is also what links and challenges look like. */
export const sampleBearer = `rookery_${'A'.repeat(43)}`

/** A token of the sample viewer. */
export const sampleToken = {
  uuid: '019ab2c4-d374-7c9a-8f66-b17283940516',
  name: 'Sign-in',
  scopes: ['POST_GET' as const, 'REPLY_GET' as const],
  createdAt: '2026-07-27T12:00:00.000Z',
  expiresAt: '2026-10-25T12:00:00.000Z',
  lastUsedAt: null,
  application: null,
  isCurrent: true,
}

const tokenView = view('AccessToken', 'AccessToken', 'The record of an access token.', sampleToken, {
  uuid: 'uuid',
  name: 'name',
  scopes: ['scopes', scopesInRest, { uniqueItems: true, maxItems: 100 }],
  created_at: ['createdAt', seconds],
  expires_at: ['expiresAt', seconds],
  last_used_at: ['lastUsedAt', seconds],
  application: ['application', applicationView],
  is_current: 'isCurrent',
})

/** What every token looks like, also the codes of invitations. */
export const tokenSchema = matching(/^rookery_[\w-]{43}$/, 51, 51)

const bearer = { ...tokenSchema, description: 'The bearer token. It is shown only once.' }

/** What signs in responds with. */
export const signedInView = view(
  'SignedIn',
  'SignInPayload',
  'A token of the account that signed in.',
  { token: sampleBearer, accessToken: sampleToken, viewer: sampleViewer },
  {
    token: ['token', undefined, bearer],
    record: ['accessToken', tokenView],
    user: ['viewer', ownUserView],
  },
)

/** Sign up, which the interface does not have. */
export const signUp = operation({
  route: 'POST /user',
  summary: 'Sign up',
  description: 'Creates an account and signs in to it.',
  body: { example: { username: 'ada', email: sampleViewer.email, password: samplePassword } },
  document: graphql(
    `mutation SignUp(
      $username: String!, $email: EmailAddress!, $password: String!, $display_name: String, $device: String,
      $reason: String, $invitation: String
    ) {
      signUp(
        input: {
          username: $username, email: $email, password: $password, displayName: $display_name, device: $device,
          reason: $reason, invitation: $invitation
        }
      ) { ...SignedIn }
    }`,
    [signedInView.fragment],
  ),
  view: signedInView,
  of: ({ signUp }) => signUp,
  errors: ['FORBIDDEN', 'CONFLICT'],
})

/** Sign in, which the interface does not have. */
export const signIn = operation({
  route: 'POST /session',
  summary: 'Sign in',
  description: 'Signs in, and cancels the deletion of the account if it is not final.',
  body: { example: { username: 'ada', password: samplePassword } },
  document: graphql(
    `mutation SignIn($username: String!, $password: String!, $device: String, $earlier_token: String) {
      signIn(input: { username: $username, password: $password, device: $device, earlierToken: $earlier_token }) {
        ...SignedIn
      }
    }`,
    [signedInView.fragment],
  ),
  view: signedInView,
  of: ({ signIn }) => signIn,
  errors: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED'],
})

/** Sign out, which the interface does not have. */
export const signOut = operation({
  route: 'DELETE /session',
  summary: 'Sign out',
  description: descriptionOf('Mutation', 'signOut'),
  document: graphql('mutation SignOut { signOut { accessToken { ...AccessToken } } }', [tokenView.fragment]),
  view: tokenView,
  of: ({ signOut }) => signOut.accessToken,
  result: 'The record of the token just before it was revoked.',
})

const revokedView = view(
  'RevokedTokens',
  'RevokeOtherTokensPayload',
  'How many tokens were revoked.',
  { revokedCount: 2 },
  { revoked_count: 'revokedCount' },
)

/** Revoke other tokens, which the interface does not have. */
export const revokeOtherTokens = operation({
  route: 'DELETE /session/others',
  summary: 'Sign out everywhere else',
  description: descriptionOf('Mutation', 'revokeOtherTokens'),
  document: graphql('mutation RevokeOtherTokens { revokeOtherTokens { ...RevokedTokens } }', [revokedView.fragment]),
  view: revokedView,
  of: ({ revokeOtherTokens }) => revokeOtherTokens,
})

/** Get tokens, which the interface does not have. */
export const getTokens = list('Tokens', {
  route: 'GET /token',
  summary: "Get the viewer's access tokens",
  by: 'cursor',
  field: 'accessTokens',
  property: 'tokens',
  view: tokenView,
})

const createdTokenView = view(
  'CreatedToken',
  'CreateAccessTokenPayload',
  'A new token.',
  { token: sampleBearer, accessToken: sampleToken },
  { token: ['token', undefined, bearer], record: ['accessToken', tokenView] },
)

/** Create token, which the interface does not have. */
export const createToken = operation({
  route: 'POST /token',
  summary: 'Create an access token',
  description: 'It cannot have more scopes, a later expiry or another application than the token that creates it.',
  body: { example: { name: 'Bot', scopes: ['post.get'] } },
  document: graphql(
    `mutation CreateToken($name: String!, $scopes: [Scope!]!, $expires_at: DateTime, $application: UUID) {
      createAccessToken(input: { name: $name, scopes: $scopes, expiresAt: $expires_at, application: $application }) {
        ...CreatedToken
      }
    }`,
    [createdTokenView.fragment],
  ),
  view: createdTokenView,
  of: ({ createAccessToken }) => createAccessToken,
  errors: ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'],
})

/** Revoke token, which the interface does not have. */
export const revokeToken = operation({
  route: 'DELETE /token/{record}',
  summary: 'Revoke an access token',
  description: 'Every server process refuses it within seconds.',
  document: graphql(
    'mutation RevokeToken($id: ID!) { revokeAccessToken(input: { id: $id }) { accessToken { ...AccessToken } } }',
    [tokenView.fragment],
  ),
  view: tokenView,
  of: ({ revokeAccessToken }) => revokeAccessToken.accessToken,
  result: 'The record of the token just before it was revoked.',
})

/** Change password, which the interface does not have. */
export const changePassword = operation({
  route: 'PUT /password',
  summary: 'Change the password',
  description: "Changes the viewer's password and revokes all their other tokens.",
  optionalScopes: ['user.email'],
  body: { example: { current_password: samplePassword, new_password: sampleNewPassword } },
  document: graphql(
    `mutation ChangePassword($current_password: String!, $new_password: String!, $code: String) {
      changePassword(input: { currentPassword: $current_password, newPassword: $new_password, code: $code }) {
        viewer { ...OwnUser }
      }
    }`,
    [ownUserView.fragment],
  ),
  view: ownUserView,
  of: ({ changePassword }) => changePassword.viewer,
  errors: ['SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
})

const requestedResetView = view(
  'RequestedReset',
  'RequestPasswordResetPayload',
  'The same whether there is such an account or not.',
  { email: sampleViewer.email },
  { email: 'email' },
)

/** Request password reset, which the interface does not have. */
export const requestPasswordReset = operation({
  route: 'POST /password/reset-request',
  summary: 'Ask for a link that sets a new password',
  description:
    'Sends the link to an address: for each account that has verified it or, if none has, for each account that has it.',
  body: { example: { email: sampleViewer.email } },
  document: graphql(
    `mutation RequestPasswordReset($email: EmailAddress!) {
      requestPasswordReset(input: { email: $email }) { ...RequestedReset }
    }`,
    [requestedResetView.fragment],
  ),
  view: requestedResetView,
  of: ({ requestPasswordReset }) => requestPasswordReset,
  errors: ['FORBIDDEN'],
})

const accountOfLinkView = view('AccountOfLink', 'User', 'The account that a link is for.', sampleUser, {
  uuid: 'uuid',
  username: 'username',
})

/** Reset password, which the interface does not have. */
export const resetPassword = operation({
  route: 'POST /password/reset',
  summary: 'Set a new password with a link',
  description: 'Sets a new password with the link from an e-mail, and revokes all tokens of the account.',
  body: { example: { token: sampleBearer, password: sampleNewPassword } },
  document: graphql(
    `mutation ResetPassword($token: String!, $password: String!, $code: String) {
      resetPassword(input: { token: $token, password: $password, code: $code }) { user { ...AccountOfLink } }
    }`,
    [accountOfLinkView.fragment],
  ),
  view: accountOfLinkView,
  of: ({ resetPassword }) => resetPassword.user,
  errors: ['SECOND_FACTOR_REQUIRED'],
})

/** Change e-mail address, which the interface does not have. */
export const changeEmail = operation({
  route: 'PUT /email',
  summary: 'Change the e-mail address',
  description:
    'Sends a link to the new address, which becomes that of the viewer once the link is used. Given the current address, if it is ' +
    'not verified yet, this sends its link again.',
  optionalScopes: ['user.email'],
  body: { example: { email: 'lovelace@example.org', password: samplePassword } },
  document: graphql(
    `mutation ChangeEmail($email: EmailAddress!, $password: String!, $code: String) {
      changeEmail(input: { email: $email, password: $password, code: $code }) { viewer { ...OwnUser } }
    }`,
    [ownUserView.fragment],
  ),
  view: ownUserView,
  of: ({ changeEmail }) => changeEmail.viewer,
  result: 'The viewer, still with the old address.',
  errors: ['SECOND_FACTOR_REQUIRED', 'FORBIDDEN'],
})

/** Verify e-mail address, which the interface does not have. */
export const verifyEmail = operation({
  route: 'POST /email/verify',
  summary: 'Use a link from an e-mail',
  description:
    'Verifies the address of an account, changes it, or reverts a change, as the link says. Reverting also removes the password and ' +
    'revokes all tokens.',
  body: { example: { token: sampleBearer } },
  document: graphql(
    `mutation VerifyEmail($token: String!) {
      verifyEmail(input: { token: $token }) { user { ...AccountOfLink } }
    }`,
    [accountOfLinkView.fragment],
  ),
  view: accountOfLinkView,
  of: ({ verifyEmail }) => verifyEmail.user,
})
