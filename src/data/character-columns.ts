import { ColumnTypeEnum, type SqlResultSet } from '@prisma/driver-adapter-utils'
import type pg from 'pg'

/** PostgreSQL type ids (`pg_type`): "char", which only the catalogs use, and text. */
const character = 18
const text = 25

type RowDescription = { readonly fields: { dataTypeID: number }[] }

/** Lets Prisma's schema engine read the "char" columns of the catalogs, a type that the adapter does not support. */
export class CharacterColumns {
  #columns: readonly number[] = []

  /** Replaces "char" with text for the adapter. */
  hide({ connection }: pg.PoolClient): void {
    connection.prependListener('rowDescription', ({ fields }: RowDescription) => {
      this.#columns = fields.flatMap(({ dataTypeID }, index) => (dataTypeID === character ? [index] : []))
      for (const field of fields) if (field.dataTypeID === character) field.dataTypeID = text
    })
  }

  /** Restores "char" in the result for the engine. */
  show(result: SqlResultSet): SqlResultSet {
    const types = result.columnTypes.map((type, index) =>
      this.#columns.includes(index) ? ColumnTypeEnum.Character : type,
    )
    return { ...result, columnTypes: types }
  }
}
