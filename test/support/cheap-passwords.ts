import { Passwords } from '../../src/domain/passwords.ts'

/** Hashes passwords in a few milliseconds. */
export const cheapPasswords = () => new Passwords({ cost: { ln: 10, r: 8, p: 1 } })

/** The cheap hash of a password. */
export const hashOf = (password: string) => cheapPasswords().hash(password, { address: 'tests', account: 'tests' })
