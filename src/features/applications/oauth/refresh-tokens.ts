import { createHmac, randomBytes } from 'node:crypto'
import { Provider } from 'oidc-provider/lib/provider.js'
import { z } from 'zod'

const rotatedSchema = z.object({ jti: z.string(), seed: z.string() })

const newSeed = () => randomBytes(32).toString('base64url')

/**
 * Gives each refresh token exactly one successor, whoever asks for it and however often. It is computed from the token and a random seed: the table
 * has the seed but not the token, and the client has the token but not the seed. Seeds of used tokens are removed: see `removeExpiredAuthorizations`.
 */
export function fixSuccessors({ RefreshToken }: Provider): void {
  Object.defineProperty(RefreshToken, 'IN_PAYLOAD', { value: [...RefreshToken.IN_PAYLOAD, 'seed'] })
  Object.assign(RefreshToken.prototype, {
    generateTokenId(this: object): string {
      Object.assign(this, { seed: newSeed() })
      const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken
      if (!rotated) return newSeed()
      const { jti, seed } = rotatedSchema.parse(rotated)
      return createHmac('sha256', jti).update(seed).digest('base64url')
    },
  })
}
