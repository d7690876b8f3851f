/** The media types of the bodies that a method takes. A merge patch (RFC 7396) sets no field to null: null counts as absent. */
export const bodyTypes = (method: string): readonly string[] =>
  method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']

/** `Accept-Patch` (RFC 5789, section 3.1) and `Accept-Post` (W3C Linked Data Platform, section 7.1), as far as the methods are among these. */
export function acceptBodies(methods: readonly string[]): Readonly<Record<string, string>> {
  const accepting = ['PATCH', 'POST'].filter((method) => methods.includes(method))
  return Object.fromEntries(accepting.map((method) => [`accept-${method.toLowerCase()}`, bodyTypes(method).join(', ')]))
}
