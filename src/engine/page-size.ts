/** How many rows a page has by default and at most. */
export const pageSize = { default: 20, max: 100 } as const
