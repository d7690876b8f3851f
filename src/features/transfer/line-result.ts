/** What happened to a line. */
export type LineResult = {
  readonly isImported?: true
  /** Whether it existed before. */
  readonly isKnown?: true
  /** Why it was not imported, or not unchanged. */
  readonly problem?: string
  /** The uuid of its parent, if that does not exist yet but may follow. */
  readonly missing?: string
}
