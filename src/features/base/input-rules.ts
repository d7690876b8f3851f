import { clientUuidError } from '../../engine/data/client-uuid.ts'
import type { FieldError } from '../../engine/errors.ts'
import type { Bounds } from '../../engine/text/characters.ts'
import { nameError, textError } from './text-rules.ts'

/** Gives a field of an input the rule that its write checks, so that its errors come together with those of types. */
export const withRule = (rule: (text: string) => FieldError | undefined) => ({ extensions: { rule } })

/** A text of this length. */
export const textRule = (bounds: Bounds) => withRule((text) => textError('text', text, bounds))

/** The name of a user, a token or an application. */
export const nameRule = withRule((name) => nameError('name', name))

/** A UUID made by a client. */
export const clientUuidRule = withRule((uuid) => clientUuidError('uuid', uuid))
