import { readAnyPublication, readUser } from '../domain/permissions.ts'
import { pageSize } from '../page-size.ts'
import { costOfUsersFound, publicationsFound, soughtBounds, usersFound } from '../reads/search.ts'
import { builder } from './builder.ts'
import { forwardPageArgs } from './pages.ts'
import { PublicationConnection } from './publication.ts'
import { User, UserBy } from './user.ts'

const length = `${soughtBounds.min} to ${soughtBounds.max} characters`

builder.queryFields((t) => ({
  searchPublications: t.field({
    type: PublicationConnection,
    permission: readAnyPublication,
    description:
      'Posts and replies with all words of a text, newest first. Case and accents make no difference. Chinese, Japanese and Thai texts are found by any part.',
    args: {
      text: t.arg.string({
        required: true,
        description: `What to search for, ${length}: words, \`"a phrase"\`, \`or\`, and \`-word\` for what must not be there.`,
      }),
      author: t.arg({ type: UserBy, description: 'Only what this user published.' }),
      since: t.arg({ type: 'DateTime', description: 'Only what was published at this time or later.' }),
      until: t.arg({ type: 'DateTime', description: 'Only what was published before this time.' }),
      ...forwardPageArgs(t.arg, 'Only older publications than that of this cursor.'),
    },
    read: publicationsFound,
  }),
  searchUsers: t.field({
    type: [User],
    permission: readUser,
    description:
      'Users whose username begins with a text, or whose display name has all of its words; those whom the viewer follows first.',
    args: {
      text: t.arg.string({ required: true, description: `What to search for, ${length}, with or without \`@\`.` }),
      first: t.arg.int({
        description: `How many users at most, 0 to ${pageSize.max}; ${pageSize.default} by default.`,
      }),
    },
    read: usersFound,
    cost: costOfUsersFound,
  }),
}))
