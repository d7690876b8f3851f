import { pageSize } from '../../engine/page-size.ts'
import { User, UserBy } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { forwardPageArgs } from '../base/pages.ts'
import { readAnyPublication, readUser } from '../base/permissions.ts'
import { PublicationConnection } from '../posts/schema.ts'
import { publicationSearch, searchBounds, userSearch, userSearchCost } from './reads.ts'

const length = `${searchBounds.min} to ${searchBounds.max} characters`

builder.queryFields((t) => ({
  searchPublications: t.field({
    type: PublicationConnection,
    permission: readAnyPublication,
    description:
      'Posts and replies with all words of a text, newest first, whatever their case, accents and punctuation; scripts without spaces, and Korean, are found by any part. A page looks at a limited number of publications and of entries of the index, and may end early: with fewer nodes, or none, while more may follow.',
    args: {
      text: t.arg.string({
        required: true,
        description: `The search, ${length}: words, \`"a phrase"\`, \`one OR other\`, \`-word\` for what must not be there, \`#hashtag\`, \`@username\`, \`from:username\`, \`since:2026-11-01\` and \`until:2026-11-30\`.`,
      }),
      author: t.arg({ type: UserBy, description: 'Only what this user published, also if the viewer mutes them.' }),
      since: t.arg({ type: 'DateTime', description: 'Only what was published at this time or later.' }),
      until: t.arg({ type: 'DateTime', description: 'Only what was published before this time.' }),
      ...forwardPageArgs(t.arg, 'Only older publications than that of this cursor.'),
    },
    read: publicationSearch,
  }),
  searchUsers: t.field({
    type: [User],
    permission: readUser,
    description:
      'Users whose username begins with a text, or whose display name has all of its words; those whom the viewer follows first.',
    args: {
      text: t.arg.string({ required: true, description: `The search, ${length}, with or without \`@\`.` }),
      first: t.arg.int({
        description: `The maximum number of users, 0 to ${pageSize.max}. Defaults to ${pageSize.default}.`,
      }),
    },
    read: userSearch,
    cost: userSearchCost,
  }),
}))
