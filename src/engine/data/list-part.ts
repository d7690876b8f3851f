/** A request for part of a list, newest first, from the row after this uuid. */
export type ListRequest = { readonly limit: number; readonly after?: string | undefined }

/** Part of a list, and the `after` of the next part; null at the end. */
export type ListPart<Row> = { readonly rows: readonly Row[]; readonly next: string | null }

/** The rows of a part in Prisma's terms, and one row more. */
export function partAfter({ limit, after }: ListRequest) {
  return { where: after === undefined ? {} : { id: { lt: after } }, orderBy: { id: 'desc' }, take: limit + 1 } as const
}

/** Part of a list, from one row more than the limit. */
export function partOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  { limit }: ListRequest,
): ListPart<Row> {
  const part = rows.slice(0, limit)
  return { rows: part, next: rows.length > limit ? (part.at(-1)?.id ?? null) : null }
}
