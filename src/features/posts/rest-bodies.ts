import { z } from 'zod'
import { version7 } from '../../engine/data/client-uuid.ts'
import { descriptionOf } from '../../engine/rest/descriptions.ts'
import { sentUuid, text, uuidOf } from '../../engine/rest/types.ts'
import { aliasOf } from '../../engine/rest/variables.ts'
import { contentBounds } from '../base/bounds.ts'

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
