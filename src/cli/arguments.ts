import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { validate as isUuid } from 'uuid'
import { isScope, type Scope, scopes } from '../scopes.ts'

/** Reads a whole number between two others. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`)
  }
}

/** Reads scopes that are separated by commas. */
export function scopeList(text: string): Scope[] {
  const named = text.split(',').map((scope) => scope.trim())
  const known = named.filter(isScope)
  if (known.length < named.length) throw new InvalidArgumentError(`Scopes are ${scopes.join(', ')}.`)
  return known
}

/** Reads a uuid. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It has to be a uuid.')
  return text.toLowerCase()
}

/** Reads a username, which may have an @ before it. */
export function username(text: string): string {
  return text.replace(/^@/, '')
}

/** How many rows a list has at most, on one page. */
export const limitOption = () =>
  new Option('--limit <count>', 'how many at most').argParser(wholeNumber(1, 100)).default(20)

/** Where the next page of a list begins. */
export const afterOption = () =>
  new Option('--after <uuid>', 'begin after this one, the last of a page').argParser(uuid)

/** Asks for the result as JSON. */
export const jsonOption = () => new Option('--json', 'one JSON document on stdout; errors as JSON on stderr')
