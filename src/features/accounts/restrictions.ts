import type { Restriction } from '../../engine/auth/viewers.ts'
import { SuspendedAccount } from '../../engine/errors.ts'

/** The restriction of suspended accounts: only what stays open. */
export const suspension: Restriction = {
  permits: ({ staysOpen }) => staysOpen,
  refuse: () => new SuspendedAccount(),
}
