/** The severity of a check. A problem keeps the server from running, a warning does not. */
export type Status = 'ok' | 'warning' | 'problem'

/** The result of one check, with advice if something should change. */
export type Check = {
  readonly name: string
  readonly status: Status
  readonly message: string
  readonly advice?: string | undefined
}

/** Builds check results under one name. */
export function checksOf(name: string) {
  const check = (status: Status) => (message: string, advice?: string) => ({ name, status, message, advice })
  return { ok: check('ok'), warning: check('warning'), problem: check('problem') }
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
