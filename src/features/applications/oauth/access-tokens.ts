import type { Adapter, AdapterPayload } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { hashToken } from '../../../engine/auth/tokens.ts'
import type { Client } from '../../../engine/data/client.ts'
import { Refusal } from '../../../engine/errors.ts'
import { daysFromNow, issueTokenOfLocked } from '../../accounts/access-tokens.ts'
import { lockAccount } from '../../base/lock-account.ts'
import { isScope } from '../../base/scopes.ts'
import { authorizationDays, tokensOfAuthorization, useAuthorization } from '../authorizations.ts'
import { clientIdOf } from '../clients.ts'
import { requireBasis } from './records.ts'
import { epochSeconds, type StoreOptions, simpleStore } from './store.ts'
import { webClient } from './web-client.ts'

/** Access tokens are rows of the table that both APIs read. */
export const accessTokens = ({ database, resources, forget }: StoreOptions): Adapter => ({
  ...simpleStore,

  async upsert(
    token: string,
    { accountId: userId = '', clientId, grantId = '', scope = '', aud = '', exp = 0 }: AdapterPayload,
  ): Promise<void> {
    const audience = resources.audienceOf(String(aud)) ?? null
    const scopes = scope.split(' ').filter(isScope)
    const issue = async (transaction: Client) => {
      const allowed = await lockAccount(transaction, userId)
      await requireBasis(transaction)
      const expiresAt = new Date(exp * 1_000)
      // The pages of this server get no refresh tokens.
      const isLast = clientId === webClient.id
      const application = await useAuthorization(
        transaction,
        grantId,
        isLast ? expiresAt : daysFromNow(authorizationDays),
      )
      if (!application) throw new errors.InvalidGrant('the authorization has ended')
      const { id: applicationId, name } = application
      await transaction.$executeRaw`
        delete from access_tokens where id in (
          select id from access_tokens where grant_id = ${grantId}::uuid order by id desc offset ${tokensOfAuthorization - 1}::int)`
      const request = { token, userId, name, scopes, expiresAt, applicationId, grantId, audience }
      await issueTokenOfLocked(transaction, request, allowed)
    }
    try {
      await database.$transaction(issue)
    } catch (cause) {
      if (cause instanceof Refusal) throw new errors.InvalidGrant({ detail: cause.message, cause })
      throw cause
    }
  },

  async find(jti: string): Promise<AdapterPayload | undefined> {
    const where = { hash: hashToken(jti), expiresAt: { gt: new Date() }, grantId: { not: null } }
    const found = await database.accessToken.findFirst({ where, include: { application: true } })
    if (!found?.application || !found.expiresAt || !found.grantId) return undefined
    const { userId: accountId, grantId, scopes, audience, createdAt, expiresAt, application } = found
    const aud = audience ? resources.urlOf(audience) : undefined
    const times = { iat: epochSeconds(createdAt), exp: epochSeconds(expiresAt) }
    const clientId = clientIdOf(application)
    return { jti, kind: 'AccessToken', accountId, clientId, grantId, scope: scopes.join(' '), aud, ...times }
  },

  async destroy(token: string): Promise<void> {
    const [ended] = await database.$queryRaw<{ user_id: string }[]>`
      delete from access_tokens where hash = ${hashToken(token)} returning user_id`
    if (ended) forget(ended.user_id)
  },
})
