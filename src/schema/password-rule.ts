import { passwordError } from '../domain/accounts.ts'
import { withRule } from './rules.ts'

/** A new password. */
export const passwordRule = withRule((password) => passwordError('password', password))
