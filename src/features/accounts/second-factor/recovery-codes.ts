import { randomInt } from 'node:crypto'
import { hashToken } from '../../../engine/auth/viewers.ts'
import type { Client } from '../../../engine/data/client.ts'
import type { TextForm } from '../../../engine/text/text-form.ts'

/** How many recovery codes come with a second factor. */
export const recoveryCodes = 10

/** Without letters and digits that look alike. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
const length = 16

/** A recovery code, as it is shown. */
export const recoveryCodeForm: TextForm = {
  min: 19,
  max: 19,
  pattern: /^[a-z2-9]{4}(?:-[a-z2-9]{4}){3}$/,
  words: 'four groups of four letters and digits',
}

/** With 79 random bits, the hash of a code cannot be guessed, so no slower hash is needed. */
const newRecoveryCode = () => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

/** A code as it is shown, in four groups of four characters. */
const grouped = (code: string) => code.replace(/(?=(?:.{4})+$)(?!^)/g, '-')

const codePattern = new RegExp(`^[${letters}]{${length}}$`)

/** A code without the spaces and hyphens that people type between its groups. */
export const ungrouped = (code: string): string => code.replaceAll(/[\s-]/g, '')

/** The hash of a recovery code, however its letters and groups are written. Undefined for what cannot be one. */
export function hashOfRecoveryCode(text: string): Uint8Array<ArrayBuffer> | undefined {
  const code = ungrouped(text.toLowerCase())
  return codePattern.test(code) ? hashToken(code) : undefined
}

/** Makes the recovery codes of an account in a transaction, and returns them. Only their hashes are stored. */
export async function addRecoveryCodes(transaction: Client, userId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode)
  await transaction.recoveryCode.createMany({ data: codes.map((code) => ({ userId, hash: hashToken(code) })) })
  return codes.map(grouped)
}
