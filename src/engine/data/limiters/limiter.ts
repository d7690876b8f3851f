/** How many points each key has in a window, and how many seconds a window lasts. It begins when its first point is used. */
export type LimiterOptions = { readonly name: string; readonly points: number; readonly seconds: number }

/** How many seconds a new window lasts if not as many as usual, and whether to add as many points as fit if they do not all fit. */
export type Adding = { readonly seconds?: number; readonly partly?: boolean }

/** The count of a key after an attempt to add points: whether they did not fit, how many were added, and for how many milliseconds the window lasts. */
type Count = { readonly isRefused: boolean; readonly added: number; readonly used: number; readonly resetsIn: number }

/** Counts points by key. */
export type Limiter = {
  /** Adds points to a key, unless it would have more than it may. Negative points are taken back; none only reads the count. */
  add(key: string, points: number, adding?: Adding): Count | Promise<Count>
  /** Forgets what a key has used. */
  delete(key: string): Promise<void>
}

/** Creates limiters that all keep their counts in one place. */
export type Limiters = {
  readonly create: (options: LimiterOptions) => Limiter
  readonly close: () => void
}
