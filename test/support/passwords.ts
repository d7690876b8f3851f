import { Passwords } from '../../src/features/accounts/passwords.ts'

/** Hashes passwords in a few milliseconds. */
export const cheapPasswords = () => new Passwords({ cost: { ln: 10, r: 8, p: 1 } })

/** Hashes one password at a time, slowly enough that concurrent hashes queue. */
export const queueing = () => new Passwords({ cost: { ln: 14, r: 8, p: 1 }, atOnce: 1 })

/** The cheap hash of a password. */
export const hashOf = (password: string) => cheapPasswords().hash(password, { address: 'tests', account: 'tests' })
