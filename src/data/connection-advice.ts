/** Keyed by system error code or SQLSTATE (PostgreSQL documentation, appendix A). */
const advices: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL there, or correct the host and the port.',
  ENOTFOUND: 'Correct the host.',
  EAI_AGAIN: 'Correct the host, or see to the name server.',
  ENOENT: 'Correct the path of the socket, or start PostgreSQL.',
  '28P01': 'Correct the user or the password.',
  '28000': 'Correct the user, or let it in by pg_hba.conf.',
  '3D000': 'Create the database with createdb, or correct its name.',
  '42501': 'Give the user the right to connect.',
  '53300': 'Let the server have more connections, or lower DATABASE_POOL.',
  '57P03': 'Wait until the server has started, and try again.',
}

/** A server that is reachable but not usable. */
export class UnfitServer extends Error {
  override readonly name = 'UnfitServer'
  readonly advice: string

  constructor(message: string, advice: string) {
    super(message)
    this.advice = advice
  }
}

/** Advice for a server that cannot be used. */
export function connectionAdvice(cause: unknown): string {
  if (cause instanceof UnfitServer) return cause.advice
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const code = first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : ''
  return advices[code] ?? 'Correct DATABASE_URL, or see to that server.'
}
