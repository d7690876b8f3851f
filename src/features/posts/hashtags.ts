import { globalId, type ListRead, type OneRead, type PageRead } from '../../engine/compiler/field-reads.ts'
import { type Sql, sql } from '../../engine/compiler/sql.ts'
import { builder } from '../base/builder.ts'
import { hashtagForm, hashtagIn, hashtagRule, maxHashtags, maxMentions } from '../base/entities.ts'
import { withForm } from '../base/input-rules.ts'
import { byLanguage, languageArgs } from '../base/languages.ts'
import { numberedPageArgs } from '../base/pages.ts'
import { readAnyPublication } from '../base/permissions.ts'
import { Publication, PublicationConnection } from './schema.ts'

/** A list of places in a publication, in the order of the text. */
const places = (rows: number): ListRead => ({
  where: (it, row) => sql`${it}.publication_id = ${row}.id`,
  orderBy: (it) => sql`${it}.range_start`,
  rows,
})

/** The mentions of a publication. */
const mentions = places(maxMentions)

/** The hashtags of a publication. */
const hashtags = places(maxHashtags)

/** Whether a publication for everybody has a hashtag. Only readers of other publications meet a hashtag that none has. */
const isKnown = (row: Sql) => sql`${row}.publication_count > 0`

/** The hashtag whose `name` is given. */
const hashtagByName: OneRead = {
  types: { id: sql`uuid` },
  keyOf: ({ name }) => ({ id: hashtagIn(String(name))?.id }),
  where: (it, _row, part) => sql`${it}.id = ${part('id')} and ${isKnown(it)}`,
}

/** The publications for everybody that have the hashtag of the row, newest first. */
const publicationsOfHashtag: PageRead = {
  order: 'desc',
  place: 'timelines',
  join: {
    table: sql`(select u.publication_id as id, u.hashtag_id, u.publication_id from hashtag_uses u where u.is_listed)`,
    from: sql`hashtag_id`,
    to: sql`publication_id`,
  },
  total: (row, part) => sql`case when ${part('languages')} is null then ${row}.publication_count end`,
  ...byLanguage,
}

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
  extensions: { where: isKnown, nodePermission: readAnyPublication },
  fields: (t) => ({
    id: t.id({ description: 'The opaque global id, with which `node` finds the object.', read: globalId }),
    name: t.exposeString('name', {
      description: `The name without the sign: ${hashtagRule}. Names that are equal by NFKC case folding are the same.`,
      ...withForm(hashtagForm),
    }),
    publicationCount: t.exposeInt('publicationCount', {
      description: 'The number of posts and replies for everybody that have it. Everybody sees the same number.',
    }),
    publications: t.field({
      type: PublicationConnection,
      permission: readAnyPublication,
      args: { ...languageArgs(t.arg), ...numberedPageArgs(t.arg) },
      description: 'Posts and replies for everybody that have it, newest first. They are not counted by `languages`.',
      read: publicationsOfHashtag,
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
    description:
      `Mentions of accounts in its text, at most ${maxMentions}, in their order. An unknown username, or ` +
      'one of an account that blocks the author or is blocked by them, is plain text.',
    read: mentions,
  }),
  hashtags: t.field({
    type: [HashtagUse],
    description: `Hashtags in its text, at most ${maxHashtags}, in their order.`,
    read: hashtags,
  }),
}))

builder.queryField('hashtag', (t) =>
  t.field({
    type: Hashtag,
    nullable: true,
    permission: readAnyPublication,
    description: 'Finds a hashtag; null if no publication for everybody has it.',
    args: {
      name: t.arg.string({ required: true, description: 'The name, with or without `#`, in any case.' }),
    },
    read: hashtagByName,
  }),
)
