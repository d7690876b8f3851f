import { globalId } from '../../engine/compiler/field-reads.ts'
import { builder } from '../base/builder.ts'
import { hashtagRule, maxHashtags, maxMentions } from '../base/entities.ts'
import { numberedPageArgs } from '../base/pages.ts'
import { readAnyPublication } from '../base/permissions.ts'
import * as reads from './entity-reads.ts'
import { Publication, PublicationConnection } from './schema.ts'

const start = 'The index in `content` where it begins, sign included, in code points from 0.'
const end = 'The index in `content` of the code point after it.'

const Mention = builder.prismaObject('Mention', {
  description: 'A mention of an account in the text of a publication, such as `@ada`.',
  fields: (t) => ({
    start: t.exposeInt('rangeStart', { description: start }),
    end: t.exposeInt('rangeEnd', { description: end }),
    user: t.relation('user', {
      description: 'The account that had this username, now or formerly, when the publication was sent or edited.',
    }),
  }),
})

const Hashtag = builder.prismaObject('Hashtag', {
  description: 'A hashtag in the texts of publications.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { nodePermission: readAnyPublication },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    name: t.exposeString('name', {
      description: `The name without the sign: ${hashtagRule}. Names that are equal by NFKC case folding are the same.`,
    }),
    publicationCount: t.exposeInt('publicationCount', {
      description: 'The number of posts and replies that have it, the same for everybody.',
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
    hashtag: t.relation('hashtag', { description: 'The hashtag that is used.' }),
  }),
})

builder.prismaInterfaceFields(Publication, (t) => ({
  mentions: t.field({
    type: [Mention],
    description: `Mentions of accounts in its text, at most ${maxMentions}, in their order. An unknown username, or one of an account that blocks the author or is blocked by them, is plain text.`,
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
