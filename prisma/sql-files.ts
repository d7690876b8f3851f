import { readFile } from 'node:fs/promises'
import type { Bounds } from '../src/engine/text/characters.ts'
import * as bounds from '../src/features/base/bounds.ts'
import { maxMentions } from '../src/features/base/entities.ts'
import { usernameForm, usernameKeptDays } from '../src/features/base/username.ts'

/** What SQL takes from the code, as `${maxMentions}` or `${bioBounds.max}`. */
const constants: Readonly<Record<string, number | string | Bounds>> = {
  ...bounds,
  maxMentions,
  usernameForm: usernameForm.source,
  usernameKeptDays,
}

/** Reads a file of SQL with the constants of the code. Throws for one that does not exist. */
export async function readSql(file: string): Promise<string> {
  const valueFor = (placeholder: string, name: string, end?: string) => {
    const constant = constants[name]
    const value = typeof constant === 'object' ? (end === 'min' || end === 'max') && constant[end] : constant
    if (value === undefined || value === false) throw new Error(`${file}: there is no ${placeholder}.`)
    return String(value)
  }
  return (await readFile(file, 'utf8')).replace(/\$\{(\w+)(?:\.(\w+))?\}/g, valueFor)
}
