import { Refusal } from '../errors.ts'

/** The requester of a job: the account that it counts towards, and its client, whose signal fires when it is gone. */
export type Requester = { readonly account: string; readonly caller: { readonly signal: AbortSignal } }

/** The error for a job whose client is gone. */
export const clientIsGone = () => new Refusal('UNAVAILABLE', 'The client has disconnected.')

/** The error for a job that would wait, or has waited, for too long. */
export const tooBusy = () => new Refusal('UNAVAILABLE', 'The server is busy. Try again later.')
