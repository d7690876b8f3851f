import SchemaBuilder from '@pothos/core'
import PrismaPlugin from '@pothos/plugin-prisma'
import { DateTimeResolver } from 'graphql-scalars'
import type { JoinTable, Read } from '../../src/engine/compiler/field-reads.ts'
import { readPlugin } from '../../src/engine/compiler/read-plugin.ts'
import { sql } from '../../src/engine/compiler/sql.ts'
import type PrismaTypes from './generated/pothos.ts'
import { getDatamodel } from './generated/pothos.ts'
import type { PrismaClient } from './generated/prisma/client.ts'

type Types = {
  Context: { prisma: PrismaClient }
  PrismaTypes: PrismaTypes
  Scalars: { DateTime: { Input: Date; Output: Date } }
  DefaultFieldNullability: false
}

const builder = new SchemaBuilder<Types>({
  plugins: [readPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: ({ prisma }) => prisma, dmmf: getDatamodel() },
})

builder.addScalarType('DateTime', DateTimeResolver)

/** How the compiler reads a field, besides its resolver. */
const read = (how: Read) => ({ extensions: { read: how } })

const bookGenres: JoinTable = { table: sql`"_BookToGenre"`, from: sql`"A"`, to: sql`"B"` }

builder.prismaObject('Author', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    born: t.exposeInt('born'),
    books: t.relation('books', {
      query: { orderBy: { year: 'asc' } },
      ...read({ where: (it, row) => sql`${it}.author_id = ${row}.id`, orderBy: (it) => sql`${it}.year`, rows: 10 }),
    }),
  }),
})

builder.prismaObject('Genre', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    books: t.relation('books', {
      query: { orderBy: { year: 'asc' } },
      ...read({
        join: { ...bookGenres, from: bookGenres.to, to: bookGenres.from },
        orderBy: (it) => sql`${it}.year`,
        rows: 50,
      }),
    }),
  }),
})

builder.prismaObject('Book', {
  fields: (t) => ({
    id: t.exposeID('id'),
    title: t.exposeString('title'),
    year: t.exposeInt('year'),
    author: t.relation('author'),
    sequelOf: t.relation('sequelOf', { nullable: true }),
    sequels: t.relation('sequels', {
      query: { orderBy: { year: 'asc' } },
      ...read({ where: (it, row) => sql`${it}.sequel_of_id = ${row}.id`, orderBy: (it) => sql`${it}.year`, rows: 2 }),
    }),
    genres: t.relation('genres', {
      query: { orderBy: { name: 'asc' } },
      ...read({ join: bookGenres, orderBy: (it) => sql`${it}.name`, rows: 2 }),
    }),
    loans: t.relation('loans', {
      query: { orderBy: { lentAt: 'desc' } },
      ...read({
        where: (it, row) => sql`${it}.book_id = ${row}.id`,
        orderBy: (it) => sql`${it}.lent_at desc`,
        rows: 5,
      }),
    }),
    isLent: t.boolean({
      select: { loans: { where: { returnedAt: null }, take: 1 } },
      resolve: ({ loans }) => loans.length > 0,
      ...read({
        value: (row) => sql`exists (select from loans l where l.book_id = ${row}.id and l.returned_at is null)`,
      }),
    }),
  }),
})

builder.prismaObject('Loan', {
  fields: (t) => ({
    id: t.exposeID('id'),
    member: t.exposeString('member'),
    lentAt: t.expose('lentAt', { type: 'DateTime' }),
    returnedAt: t.expose('returnedAt', { type: 'DateTime', nullable: true }),
    book: t.relation('book'),
  }),
})

builder.queryType({
  fields: (t) => ({
    authors: t.prismaField({
      type: ['Author'],
      resolve: (query, _root, _args, { prisma }) => prisma.author.findMany({ ...query, orderBy: { name: 'asc' } }),
      ...read({ orderBy: (it) => sql`${it}.name`, rows: 10 }),
    }),
    book: t.prismaField({
      type: 'Book',
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: (query, _root, { id }, { prisma }) => prisma.book.findUnique({ ...query, where: { id } }),
      ...read({
        types: { id: sql`uuid` },
        keyOf: ({ id }) => ({ id }),
        where: (it, _row, part) => sql`${it}.id = ${part('id')}`,
      }),
    }),
  }),
})

/** The schema of the library. What no statement answers, plugin-prisma resolves. */
export const schema = builder.toSchema({ resolvesWithPrisma: true })
