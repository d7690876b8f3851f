import DataLoader from 'dataloader'
import { buildSchema, type ExecutionResult, type GraphQLFieldResolver, graphql, printSchema } from 'graphql'
import type pg from 'pg'
import { schema } from '../../../examples/compiler/schema.ts'

type Row = Readonly<Record<string, string | null>>

/** Where a field of a row finds others: those whose column `to` has what the row has in `from`. */
type Relation = { readonly text: string; readonly from: string; readonly to: string; readonly isList: boolean }

const one = (table: string, from: string): Relation => ({
  ...{ text: `select * from ${table} where id = any($1)`, from, to: 'id', isList: false },
})
const list = (text: string, to: string): Relation => ({ text, from: 'id', to, isList: true })

const relations: Readonly<Record<string, Relation>> = {
  'Author.books': list('select * from books where author_id = any($1) order by year', 'author_id'),
  'Genre.books': list(
    'select b.*, "B" from books b join "_BookToGenre" on "A" = b.id where "B" = any($1) order by year',
    'B',
  ),
  'Book.author': one('authors', 'author_id'),
  'Book.sequelOf': one('books', 'sequel_of_id'),
  'Book.sequels': list('select * from books where sequel_of_id = any($1) order by year', 'sequel_of_id'),
  'Book.genres': list(
    'select g.*, "A" from genres g join "_BookToGenre" on "B" = g.id where "A" = any($1) order by name',
    'A',
  ),
  'Book.loans': list('select * from loans where book_id = any($1) order by lent_at desc', 'book_id'),
  'Loan.book': one('books', 'book_id'),
  'Book.isLent': {
    ...{ text: 'select distinct book_id from loans where book_id = any($1) and returned_at is null' },
    ...{ from: 'id', to: 'book_id', isList: false },
  },
}

const plainSchema = buildSchema(printSchema(schema))
const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Answers a query as many servers do: with a resolver for each field, and a DataLoader for each relation. */
export function answerWithDataLoader(pool: pg.Pool, source: string, variableValues = {}): Promise<ExecutionResult> {
  const loaders = new Map<string, DataLoader<string, readonly Row[]>>()
  const loaderOf = (name: string, { text, to }: Relation) => {
    const load = async (keys: readonly string[]) => {
      const { rows } = await pool.query<Row>(text, [keys])
      return keys.map((key) => rows.filter((row) => row[to] === key))
    }
    const loader = loaders.get(name) ?? new DataLoader(load)
    loaders.set(name, loader)
    return loader
  }
  const fieldResolver: GraphQLFieldResolver<Row | undefined, unknown> = async (row, args, _context, info) => {
    const name = `${info.parentType.name}.${info.fieldName}`
    if (name === 'Query.authors') return (await pool.query('select * from authors order by name')).rows
    if (name === 'Query.book') return (await pool.query('select * from books where id = $1', [args.id])).rows[0]
    const relation = relations[name]
    if (!relation) return row?.[columnOf(info.fieldName)]
    const key = row?.[relation.from]
    const found = key == null ? [] : await loaderOf(name, relation).load(key)
    if (relation.isList) return found
    return name === 'Book.isLent' ? found.length > 0 : found[0]
  }
  return graphql({ schema: plainSchema, source, variableValues, fieldResolver })
}
