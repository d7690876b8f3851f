import type { FieldError } from '../errors.ts'

/** How far the time of a client-made UUID may be from that of the server, in hours. */
export const hoursApart = 24

/** UUIDs of version 7 (RFC 9562, section 5.7) in upper or lower case. Without flags, so that OpenAPI can use the pattern. */
export const version7 = /^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$/

/** The error of a client-made UUID, if it is invalid. Its time decides where the new object appears in lists. */
export function clientUuidError(field: string, uuid: string): FieldError | undefined {
  if (!version7.test(uuid)) return { field, message: 'must be a UUID of version 7' }
  const time = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16)
  if (Math.abs(time - Date.now()) > hoursApart * 3_600_000)
    return { field, message: `must have a time within ${hoursApart} hours of that of the server` }
  return undefined
}
