import { readFile } from 'node:fs/promises'
import * as bounds from '../src/features/base/bounds.ts'
import { maxMentions } from '../src/features/base/entities.ts'
import { usernameBounds, usernameKeptDays } from '../src/features/base/username.ts'
import { relationConstants } from './relation-sql.ts'

/** What SQL takes from the code, as `${maxMentions}` or `${bioBounds.max}`. */
const constants: Readonly<Record<string, number | string | object>> = {
  ...bounds,
  ...relationConstants,
  maxMentions,
  usernameBounds,
  usernameKeptDays,
}

/** Reads a file of SQL with the constants of the code. Throws for one that does not exist. */
export async function readSql(file: string): Promise<string> {
  const valueFor = (placeholder: string, name: string, part = '') => {
    const constant = constants[name]
    const value: unknown = typeof constant === 'object' ? Reflect.get(constant, part) : constant
    if (value === undefined) throw new Error(`${file}: there is no ${placeholder}.`)
    return value instanceof RegExp ? value.source : String(value)
  }
  return (await readFile(file, 'utf8')).replace(/\$\{(\w+)(?:\.(\w+))?\}/g, valueFor)
}
