import { DatabaseError } from '../engine/data/database-error.ts'
import { type FieldError, Refusal } from '../engine/errors.ts'
import { ConfigError, variableNames } from '../server/config.ts'
import { UsageError } from './command.ts'
import { OutputError, tell, wantsJson } from './output.ts'

/** The exit codes as shown in the help. Scripts depend on them, so they never change. */
export const exitCodesHelp = `Exit codes:
  0  success
  1  the command failed, or doctor found a problem
  2  usage error: an invalid command, option or value
  3  configuration error: an invalid environment variable
  4  database error: it is unreachable, in use or unusable`

/** A failure as reported to people and to programs. */
type Failure = {
  readonly exitCode: number
  /** A code of `errors.ts`, or `USAGE`, `CONFIGURATION`, `DATABASE` or `OUTPUT`. */
  readonly code: string
  readonly message: string
  readonly errors?: readonly FieldError[] | undefined
  /** The stack trace of an unexpected error, shown to people only. */
  readonly stack?: string | undefined
}

async function failureOf(error: unknown): Promise<Failure> {
  if (!(error instanceof Error)) return { exitCode: 1, code: 'INTERNAL', message: String(error) }
  const { message, stack } = error
  if (error instanceof UsageError) return { exitCode: 2, code: 'USAGE', message: usageMessage(error) }
  if (error instanceof ConfigError) return { exitCode: 3, code: 'CONFIGURATION', message }
  if (error instanceof OutputError) return { exitCode: 1, code: 'OUTPUT', message }
  if (error instanceof DatabaseError) return { exitCode: 4, code: 'DATABASE', message }
  if (error instanceof Refusal) {
    const { code, details } = error
    return { exitCode: code === 'VALIDATION_FAILED' ? 2 : 1, code, message, errors: details.errors }
  }
  // Imported late, because it loads the Prisma client, which the other errors do not need.
  const { isUnavailable } = await import('../engine/data/unavailable.ts')
  if (!isUnavailable(error)) return { exitCode: 1, code: 'INTERNAL', message, stack }
  return { exitCode: 4, code: 'DATABASE', message: `The database does not respond: ${message}` }
}

function usageMessage({ cause: { code }, message }: UsageError): string {
  // Commander uses this code for a command group without a subcommand.
  if (code === 'commander.help') return 'A subcommand is required.'
  const [, option = ''] = code === 'commander.unknownOption' ? (/'--([a-z-]+)/.exec(message) ?? []) : []
  const variable = option.toUpperCase().replaceAll('-', '_')
  const advice = variableNames.includes(variable) ? `. Set the environment variable ${variable} instead.` : ''
  return message.replace(/^error: /, '') + advice
}

/** Whether a reader such as `head` has closed the pipe, because it has read enough. */
function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof OutputError &&
    error.cause instanceof Error &&
    'code' in error.cause &&
    error.cause.code === 'EPIPE'
  )
}

/** Reports an error on stderr and sets the exit code. */
export async function fail(error: unknown): Promise<void> {
  const isHelp = error instanceof UsageError && error.cause.exitCode === 0
  if (isHelp || isClosedPipe(error)) return
  const { exitCode, stack, ...failure } = await failureOf(error)
  process.exitCode = exitCode
  if (wantsJson()) tell(`${JSON.stringify({ error: failure })}\n`)
  else if (error instanceof UsageError && error.cause.code === 'commander.help') return
  else if (error instanceof UsageError) tell(`error: ${failure.message}\nSee ${error.command} --help.\n`)
  else tell(`${stack ?? failure.message}\n`)
}
