import { z } from 'zod'
import { version7 } from '../../domain/client-uuid.ts'
import { contentBounds } from '../../text/bounds.ts'
import { descriptionOf } from '../descriptions.ts'
import { aliasOf } from '../variables.ts'
import { sentUuid, text, uuidOf } from './types.ts'

/** The text of a post or reply. */
export const newContent = text(contentBounds)

/** Who may reply, on the paths of posts. */
export const locked = { locked: z.boolean().nullish(), lock: aliasOf('locked') }

/** Who may reply, on the paths of replies. */
export const lock = {
  lock: z.boolean().nullish().describe(descriptionOf('SendReplyInput', 'locked')),
  locked: aliasOf('lock'),
}

/** The application that a post or reply was sent from. */
export const from = sentUuid.nullish()

/** The uuid of a new post or reply, where its client makes it. */
export const newUuid = uuidOf(version7).nullish()
