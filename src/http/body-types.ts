/** The media types of the bodies that a method takes. A merge patch (RFC 7396) sets no field to null: null counts as absent. */
export const bodyTypes = (method: string): readonly string[] =>
  method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']

/** `Accept-Patch` (RFC 5789, section 3.1), if one of the methods is PATCH. */
export const acceptPatch = (methods: readonly string[]): Readonly<Record<string, string>> =>
  methods.includes('PATCH') ? { 'accept-patch': bodyTypes('PATCH').join(', ') } : {}
