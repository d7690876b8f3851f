import { z } from 'zod'
import type { Answer, TestApp } from '../app.ts'

const created = z.object({
  createAccessToken: z.object({ token: z.string(), accessToken: z.object({ id: z.string() }) }),
})
const application = z.object({ createApplication: z.object({ application: z.object({ uuid: z.uuid() }) }) })

/** Sends `createAccessToken`. */
export function askForToken(app: TestApp, bearer: string, input: object): Promise<Answer> {
  const document = `mutation ($input: CreateAccessTokenInput!) {
    createAccessToken(input: $input) { token accessToken { id name scopes createdAt expiresAt lastUsedAt } }
  }`
  return app.graphql(bearer, document, { input: { name: 'Made', scopes: ['USER_GET'], ...input } })
}

/** A new access token and its global id. */
export async function makeToken(
  app: TestApp,
  bearer: string,
  input: object = {},
): Promise<{ token: string; id: string }> {
  const { token, accessToken } = created.parse((await askForToken(app, bearer, input)).data).createAccessToken
  return { token, id: accessToken.id }
}

/** Revokes a token by its global id. */
export function revoke(app: TestApp, bearer: string, id: string): Promise<Answer> {
  const document = `mutation ($input: RevokeAccessTokenInput!) {
    revokeAccessToken(input: $input) { accessToken { id name } }
  }`
  return app.graphql(bearer, document, { input: { id } })
}

/** Registers an application and returns its UUID. */
export async function makeApplication(app: TestApp, bearer: string, input: object = {}): Promise<string> {
  const document =
    'mutation ($input: CreateApplicationInput!) { createApplication(input: $input) { application { uuid } } }'
  const { data } = await app.graphql(bearer, document, { input: { name: 'Client', ...input } })
  return application.parse(data).createApplication.application.uuid
}

/** The statuses of one request with this token over GraphQL and one over REST. */
export async function statusesOf(app: TestApp, bearer: string): Promise<number[]> {
  const [graphql, rest] = [await app.graphql(bearer, '{ viewer { uuid } }'), await app.rest(bearer, 'GET', '/user')]
  return [graphql.status, rest.status]
}
