/** The start options of a worker. */
export type WorkerStart = {
  /** `DATA_DIR`. */
  readonly folder: string
  /** Whether to create a missing database. */
  readonly mayMake: boolean
  /** The prebuilt cluster that a new database starts from, if the build created one. */
  readonly prebuilt: string | undefined
  /** The socket to listen on. */
  readonly socket: string
  /** Overrides how long a client can hold a transaction while others wait, in milliseconds. */
  readonly longestHold: number | undefined
  /** The deadline of the running batch, in milliseconds since the epoch; 0 if none is running. */
  readonly deadline: BigInt64Array
}

/** Messages from the worker. */
export type WorkerMessage =
  | { readonly kind: 'ready'; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'disk'; readonly isFull: boolean }

/** The message to the worker: close the database and end. */
export const closeMessage = 'close'
