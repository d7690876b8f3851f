/** How bad it is: a warning does not keep the server from running, a problem does. */
export type Status = 'ok' | 'warning' | 'problem'

/** What was found of one thing, and what to do about it. */
export type Check = {
  readonly name: string
  readonly status: Status
  readonly message: string
  readonly advice?: string | undefined
}

/** The checks of one thing, by its name. */
export function checksOf(name: string) {
  const check = (status: Status) => (message: string, advice?: string) => ({ name, status, message, advice })
  return { ok: check('ok'), warning: check('warning'), problem: check('problem') }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
