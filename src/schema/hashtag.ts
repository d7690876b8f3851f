import { hashtagRule, maxHashtags, maxMentions } from '../domain/entities.ts'
import { readAnyPublication } from '../domain/permissions.ts'
import * as reads from '../reads/entities.ts'
import { builder } from './builder.ts'
import { numberedPageArgs } from './pages.ts'
import { Publication, PublicationConnection } from './publication.ts'

const start = 'Where it begins in `content`, in code points from 0, with its sign.'
const end = 'Where it ends in `content`: the code point after it.'

const Mention = builder.prismaObject('Mention', {
  description: 'A mention of an account in the text of a publication, such as `@ada`.',
  fields: (t) => ({
    start: t.exposeInt('rangeStart', { description: start }),
    end: t.exposeInt('rangeEnd', { description: end }),
    user: t.relation('user', {
      description: 'The account that this username found when the publication was sent or edited.',
    }),
  }),
})

const Hashtag = builder.prismaObject('Hashtag', {
  description: 'A hashtag that publications have.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: `Its name without the sign: ${hashtagRule}. Names that are equal by NFKC case folding are the same.`,
    }),
    publicationCount: t.exposeInt('publicationCount', {
      description: 'Number of posts and replies that have it, the same for everybody.',
    }),
    publications: t.field({
      type: PublicationConnection,
      permission: readAnyPublication,
      args: numberedPageArgs(t.arg),
      description: 'Posts and replies that have it, newest first.',
      read: reads.publicationsOfHashtag,
    }),
  }),
})

const HashtagUse = builder.prismaObject('HashtagUse', {
  description: 'A hashtag in the text of a publication, such as `#rookery`.',
  fields: (t) => ({
    start: t.exposeInt('rangeStart', { description: start }),
    end: t.exposeInt('rangeEnd', { description: end }),
    hashtag: t.relation('hashtag', { description: 'The hashtag.' }),
  }),
})

builder.prismaInterfaceFields(Publication, (t) => ({
  mentions: t.field({
    type: [Mention],
    description: `Mentions of accounts in its text, at most ${maxMentions}, in their order. A username that found nobody, or one of an account that blocked the author or was blocked by them, is text.`,
    read: reads.mentions,
  }),
  hashtags: t.field({
    type: [HashtagUse],
    description: `Hashtags in its text, at most ${maxHashtags}, in their order.`,
    read: reads.hashtags,
  }),
}))

builder.queryField('hashtag', (t) =>
  t.field({
    type: Hashtag,
    nullable: true,
    permission: readAnyPublication,
    description: 'Finds a hashtag; null if no publication has it.',
    args: {
      name: t.arg.string({ required: true, description: 'The name, with or without `#`, in any case.' }),
    },
    read: reads.hashtagByName,
  }),
)
