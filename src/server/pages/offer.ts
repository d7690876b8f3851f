/** What an operator can switch off, so that no page links to it then. */
export type Offer = { readonly hasGraphiQL: boolean; readonly hasSchema: boolean }

/** The places that exist, of some that begin with a path. */
export function offered<Place extends readonly [path: string, ...unknown[]]>(
  places: readonly Place[],
  { hasGraphiQL, hasSchema }: Offer,
): Place[] {
  return places.filter(([path]) => (hasGraphiQL || path !== '/graphql') && (hasSchema || path !== '/schema.graphql'))
}
