import { ColumnTypeEnum, type SqlResultSet } from '@prisma/driver-adapter-utils'
import type pg from 'pg'

/** Numbers of PostgreSQL's types (`pg_type`): "char", which only its catalogs use, and text. */
const character = 18
const text = 25

type RowDescription = { readonly fields: { dataTypeID: number }[] }

/** Lets Prisma's schema engine read the catalogs: it wants their "char" columns as such, and the adapter knows no such type. */
export class CharacterColumns {
  #columns: readonly number[] = []

  /** Shows the adapter text where the catalogs have "char". */
  hide({ connection }: pg.PoolClient): void {
    connection.prependListener('rowDescription', ({ fields }: RowDescription) => {
      this.#columns = fields.flatMap(({ dataTypeID }, index) => (dataTypeID === character ? [index] : []))
      for (const field of fields) if (field.dataTypeID === character) field.dataTypeID = text
    })
  }

  /** Shows the engine "char" again, in the result of the last query. */
  show(result: SqlResultSet): SqlResultSet {
    const types = result.columnTypes.map((type, index) =>
      this.#columns.includes(index) ? ColumnTypeEnum.Character : type,
    )
    return { ...result, columnTypes: types }
  }
}
