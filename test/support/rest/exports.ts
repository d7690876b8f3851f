import { z } from 'zod'
import type { Person, TestApp } from '../app.ts'
import { linesOf } from './documented-answers.ts'

const line = z.looseObject({ type: z.string(), cursor: z.string() })

/** A line of an export. */
export type ExportLine = z.infer<typeof line>

/** The lines of an export, which may be cut off between two of them. */
export const exportLinesOf = (text: string): ExportLine[] => z.array(line).parse(linesOf(text))

/** Asks for an export, whose body is not read yet. */
export function askForExport(
  { origin }: Pick<TestApp, 'origin'>,
  { token }: Pick<Person, 'token'>,
  { after, headers = {}, signal }: { after?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  const url = new URL(`/api/v1/export${after === undefined ? '' : `?after=${after}`}`, origin)
  return fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers }, ...(signal && { signal }) })
}

/** What a client has received when its connection ends, and whether that is the whole response. `meanwhile` runs after the first bytes. */
export async function received(
  response: Response,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      if (text === '') await meanwhile()
      text += decoder.decode(chunk, { stream: true })
    }
    return { text, isWhole: true }
  } catch {
    return { text, isWhole: false }
  }
}

/** The whole lines of an export that was cut off. */
export const wholeLines = (text: string) => text.replace(/[^\n]*$/, '')

/** An export without its header, which differs between servers. */
export const withoutHeader = (text: string) => text.slice(text.indexOf('\n') + 1)
