import { withRule } from '../base/input-rules.ts'
import { passwordError } from './accounts.ts'

/** A new password. */
export const passwordRule = withRule((password) => passwordError('password', password))
