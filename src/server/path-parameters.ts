import { notFound, Refusal } from '../engine/errors.ts'
import type { RestInterface } from '../engine/rest/interface.ts'
import { uuidFormat, uuidInPath } from '../engine/rest/paths.ts'
import { matching, sentUuid } from '../engine/rest/types.ts'
import { sampleUser } from '../features/accounts/rest-views.ts'
import { longestHashtag } from '../features/base/entities.ts'
import { usernameForm, usernameKeptDays } from '../features/base/username.ts'
import { sampleReport } from '../features/moderation/rest-views.ts'
import { sampleHashtag, samplePost } from '../features/posts/rest-views.ts'

/** A username in a path. */
const usernameFormat = new RegExp(usernameForm.source.replace('^', '^@'))

/** The name of a hashtag in a path, before it is normalized. */
const hashtagFormat = /^[^\s/]+$/
const longestHashtagInPath = 4 * longestHashtag

const sourceOf = (format: RegExp) => format.source.replace(/^\^|\$$/g, '')

const malformed = 'A malformed value gets 404.'

/** The parameters of the paths: a uuid, that of a report, a user as a uuid or `@username`, and the name of a hashtag. */
export const pathParameters: RestInterface['parameters'] = {
  uuid: {
    description: `The uuid of the post or reply. ${malformed}`,
    schema: sentUuid,
    example: samplePost.uuid,
    variables: uuidInPath,
  },
  user: {
    description: `The user, as a uuid or \`@username\`. A former username works for ${usernameKeptDays} days. ${malformed}`,
    schema: matching(new RegExp(`^(?:${sourceOf(usernameFormat)}|${sourceOf(uuidFormat)})$`), 36, 2),
    example: `@${sampleUser.username}`,
    variables: (user, finds) => {
      if (usernameFormat.test(user)) return { user: { username: user } }
      if (uuidFormat.test(user)) return { user: { uuid: user }, uuid: user }
      const name = `@${user}`
      const hint = usernameFormat.test(name) ? ` Did you mean ${name}?` : ''
      throw new Refusal('NOT_FOUND', `There is no such ${finds}: its id is malformed.${hint}`)
    },
    find: 'query FindUser($user: UserBy!) { found: user(by: $user) { uuid } }',
  },
  report: {
    description: `The uuid of the report. ${malformed}`,
    schema: sentUuid,
    example: sampleReport.uuid,
    variables: uuidInPath,
  },
  name: {
    description: `The hashtag without its sign, in any case, percent-encoded. ${malformed}`,
    schema: matching(hashtagFormat, longestHashtagInPath, 1),
    example: sampleHashtag,
    variables: (name) => {
      if (name.length <= longestHashtagInPath && hashtagFormat.test(name)) return { name }
      throw notFound('hashtag', 'its name is malformed')
    },
  },
}
