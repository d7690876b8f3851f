import { clientUuidError } from '../domain/client-uuid.ts'
import { nameError, textError } from '../domain/text.ts'
import type { FieldError } from '../errors.ts'
import type { Bounds } from '../text/characters.ts'

/** Gives a field of an input the rule that its write checks, so that its errors come together with those of types. */
export const withRule = (rule: (text: string) => FieldError | undefined) => ({ extensions: { rule } })

/** A text of this length. */
export const textRule = (bounds: Bounds) => withRule((text) => textError('text', text, bounds))

/** The name of a user, a token or an application. */
export const nameRule = withRule((name) => nameError('name', name))

/** A UUID made by a client. */
export const clientUuidRule = withRule((uuid) => clientUuidError('uuid', uuid))
