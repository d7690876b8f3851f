import { CommanderError } from '@commander-js/extra-typings'
import { ConfigError } from '../config.ts'
import { DatabaseError } from '../data/database-error.ts'
import { type FieldError, Refusal } from '../errors.ts'
import { wantsJson } from './output.ts'

/** What a command ends with. Scripts rely on these numbers, so they stay. */
export const exitCodes = { done: 0, failed: 1, usage: 2, configuration: 3, database: 4 } as const

/** The exit codes as the help has them. */
export const exitCodesHelp = `Exit codes:
  0  done
  1  failed or refused; for doctor: there is a problem
  2  wrong usage: a command, an option or a value that cannot be
  3  wrong configuration: a variable of the environment
  4  the database is out of reach, in use, or not one that can be served`

/** What went wrong, for people and for programs. */
type Failure = {
  readonly exitCode: number
  /** One of `errors.ts`, or `USAGE`, `CONFIGURATION`, `DATABASE`. */
  readonly code: string
  readonly message: string
  readonly errors?: readonly FieldError[] | undefined
  /** Where an unforeseen error came from, for people. */
  readonly stack?: string | undefined
}

async function failureOf(error: unknown): Promise<Failure> {
  if (error instanceof CommanderError) return { exitCode: exitCodes.usage, code: 'USAGE', message: usageMessage(error) }
  if (error instanceof ConfigError)
    return { exitCode: exitCodes.configuration, code: 'CONFIGURATION', message: error.message }
  if (error instanceof DatabaseError) return { exitCode: exitCodes.database, code: 'DATABASE', message: error.message }
  if (error instanceof Refusal) {
    const { code, message, errors } = error
    return { exitCode: code === 'VALIDATION_FAILED' ? exitCodes.usage : exitCodes.failed, code, message, errors }
  }
  // It brings the Prisma client along, which the other errors need not wait for.
  const { isUnavailable } = await import('../data/unavailable.ts')
  const message = error instanceof Error ? error.message : String(error)
  if (isUnavailable(error))
    return { exitCode: exitCodes.database, code: 'DATABASE', message: `The database does not answer: ${message}` }
  return {
    exitCode: exitCodes.failed,
    code: 'INTERNAL',
    message,
    stack: error instanceof Error ? error.stack : message,
  }
}

function usageMessage({ code, message }: CommanderError): string {
  // Commander's own name for a group of commands that was called without one.
  return code === 'commander.help' ? 'A command is missing.' : message.replace(/^error: /, '')
}

/** Tells on stderr what went wrong, and sets the exit code. What was only asked for, such as the help, is no failure. */
export async function fail(error: unknown): Promise<void> {
  if (error instanceof CommanderError && error.exitCode === 0) return
  const { exitCode, stack, ...told } = await failureOf(error)
  process.exitCode = exitCode
  if (wantsJson()) process.stderr.write(`${JSON.stringify({ error: told })}\n`)
  else if (error instanceof CommanderError && error.code === 'commander.help') return
  else if (error instanceof CommanderError) process.stderr.write(`error: ${told.message}\nSee rookery --help.\n`)
  else process.stderr.write(`${stack ?? told.message}\n`)
}
