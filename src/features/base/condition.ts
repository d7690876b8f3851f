/** A write is refused if the publication was edited after this time. */
export type Condition = { readonly ifUnchangedSince?: Date | null | undefined }
