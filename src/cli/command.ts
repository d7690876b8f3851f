import {
  type Command,
  type CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings'
import { pageSize } from '../engine/compiler/limits.ts'
import type { Scope } from '../engine/scopes.ts'
import { isUuid } from '../engine/text/uuids.ts'
import { reasonBounds } from '../features/base/bounds.ts'
import { lengthOf } from '../features/base/input-rules.ts'
import { isScope, scopes } from '../features/base/scopes.ts'

/** The part of a help that stands below the options. */
type Help = {
  readonly more?: string
  /** What `--json` prints. */
  readonly json?: string
  readonly examples?: readonly string[]
}

/** Ends a command before its action: its command line is invalid, or asks for help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  override readonly cause: CommanderError
  /** The command whose help explains it. */
  readonly command: string

  constructor(cause: CommanderError, command: string) {
    super(cause.message)
    this.cause = cause
    this.command = command
  }
}

/** Makes a command throw a `UsageError` instead of ending the process. */
export function throwingErrors<T extends CommandUnknownOpts>(command: T): T {
  const path = (it: CommandUnknownOpts): string => (it.parent ? `${path(it.parent)} ${it.name()}` : it.name())
  command.exitOverride((error) => {
    throw new UsageError(error, path(command))
  })
  return command
}

/** Adds a command, or a group of commands, with its help. */
export function addCommand(parent: Command, name: string, description: string, help: Help = {}): Command {
  const { more, json, examples } = help
  const parts = [more?.trim(), json && `With --json: ${json}`, examples && ['Examples:', ...examples].join('\n  $ ')]
  const below = parts.flatMap((part) => (part === undefined ? [] : ['', part]))
  return throwingErrors(parent.command(name)).description(description).addHelpText('after', below.join('\n'))
}

/** Parses an integer within inclusive bounds. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw new InvalidArgumentError(`Must be an integer from ${min} to ${max}.`)
  }
}

/** Parses a comma-separated list of scopes. */
export function scopeList(text: string): Scope[] {
  const named = text.split(',').map((scope) => scope.trim())
  const known = named.filter(isScope)
  if (known.length < named.length) throw new InvalidArgumentError(`The scopes are ${scopes.join(', ')}.`)
  return known
}

/** Parses a UUID. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('Must be a UUID.')
  return text.toLowerCase()
}

/** How many UUIDs a command takes. */
export const mostUuids = `at most ${pageSize.max}`

/** Parses a UUID of a variadic argument, after those before it. */
export function nextUuid(text: string, before: string[] | undefined): string[] {
  const uuids = [...(before ?? []), uuid(text)]
  if (uuids.length > pageSize.max) throw new InvalidArgumentError(`Give ${mostUuids} at once.`)
  return uuids
}

/** Parses a username and removes a leading `@`. */
export function username(text: string): string {
  return text.replace(/^@/, '')
}

/** The option that says why something is done, for the moderation log. */
export const reasonOption = [
  '--reason <text>',
  `why, for the owner and the moderation log: ${lengthOf(reasonBounds)}`,
] as const

/** Adds a command that prints one page of a list as JSON under `key`, in rows of these fields. */
export function addListCommand(parent: Command, description: string, key: string, fields: string, name = 'list') {
  const { default: rows, max } = pageSize
  const after = 'start after this row, the last one of the previous page'
  return addCommand(parent, name, `${description}, one page at a time.`, {
    more: 'Newest first. Times are in UTC.',
    json: `{${key}: [{${fields}}…], next};\nnext is the UUID for --after, or null on the last page.`,
  })
    .addOption(new Option('--limit <count>', 'maximum number of rows').argParser(integer(1, max)).default(rows))
    .addOption(new Option('--after <uuid>', after).argParser(uuid))
}
