/** What became of a line. */
export type Outcome = {
  readonly isImported?: true
  /** Whether it existed before. */
  readonly isKnown?: true
  /** Why it was not imported, or not as it is in the export. */
  readonly problem?: string
  /** The uuid of the parent that it lacks, and which may follow. */
  readonly missing?: string
}
