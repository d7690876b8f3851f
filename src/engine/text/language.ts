/** The longest language tag, in characters. */
export const longestLanguage = 35

/** A language tag in its canonical form (BCP 47); undefined for a text that is none. */
export function languageIn(text: string): string | undefined {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(text)
    return tag !== '' && tag.length <= longestLanguage ? tag : undefined
  } catch {
    return undefined
  }
}
