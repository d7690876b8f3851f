import { clientUuid, version7 } from '../../domain/client-uuid.ts'
import { contentBounds } from '../../domain/publications.ts'
import { type Bounds, refusedCharacters } from '../../domain/text.ts'
import { samplePost, sampleReply } from './samples.ts'

/** A field of a request body. Its type, and whether it is required, follow from the variable of the same name. */
export type BodyField = {
  readonly description: string
  /** The lengths of a text. */
  readonly bounds?: Bounds
  /** The form of a uuid that must be of a certain kind. */
  readonly form?: RegExp
  /** Another name of a flag, under which it is accepted too. */
  readonly alias?: string
  /** Left out of the example without it. */
  readonly example?: unknown
}

/** The text of a post or reply. */
export const content: BodyField = {
  description: `The text. It must not be blank or contain ${refusedCharacters} or a lone surrogate. Its length counts in Unicode code points. It is stored as sent.`,
  bounds: contentBounds,
  example: sampleReply.content,
}

const closed = { description: 'Whether only the author may reply to it.', example: false } as const

/** Who may reply, on the paths of posts. */
export const locked: BodyField = { ...closed, alias: 'lock' }

/** Who may reply, on the paths of replies. */
export const lock: BodyField = { ...closed, alias: 'locked' }

/** The parent of a post that may be a reply. */
export const optionalParent: BodyField = { description: 'The uuid of the parent post or reply.' }

/** The parent of a reply. */
export const parent: BodyField = { ...optionalParent, example: samplePost.uuid }

/** The application that a post or reply was sent from. */
export const from: BodyField = {
  description: 'The uuid of the application that the token was issued to, or null. Others are refused with 403.',
}

/** The identifier of a new post or reply, where its client makes it. */
export const uuid: BodyField = {
  description: `${clientUuid} Sending the same again returns the existing post or reply. A different one under a taken identifier is refused with 409.`,
  form: version7,
}
