/** What a worker is started with. */
export type WorkerStart = {
  /** `DATA_DIR`. */
  readonly folder: string
  /** Whether to make a database where there is none. */
  readonly mayMake: boolean
  /** The prebuilt cluster that a new database starts from, where the build made one. */
  readonly prebuilt: string | undefined
  /** The socket to listen on. */
  readonly socket: string
  /** How long a client may stay in a transaction while others wait for it, in milliseconds, where it is not the usual time. */
  readonly longestHold: number | undefined
  /** The time by which the batch being run has to be done, in milliseconds since the epoch; 0 while there is none. */
  readonly deadline: BigInt64Array
}

/** Messages from the worker. */
export type WorkerMessage =
  | { readonly kind: 'ready'; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'disk'; readonly isFull: boolean }

/** The message to the worker: close the database and end. */
export const closeMessage = 'close'
