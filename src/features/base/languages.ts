import type { PageRead } from '../../engine/compiler/field-reads.ts'
import { maxScan } from '../../engine/compiler/limits.ts'
import { sql } from '../../engine/compiler/sql.ts'
import { maxLanguages } from './bounds.ts'
import { lookupList } from './lookup-list.ts'
import type { ArgBuilder } from './pages.ts'

/** Arguments that select publications by their languages. */
export const languageArgs = (arg: ArgBuilder) => ({
  languages: arg({
    type: ['LanguageTag'],
    description:
      `Only what is in one of these languages, at most ${maxLanguages}; without any, in all. \`en\` selects \`en\` and ` +
      '`en-GB` (RFC 4647, basic filtering). A page may end early, with few nodes or none, while more may follow.',
  }),
  includeUnknownLanguage: arg.boolean({
    defaultValue: true,
    description: 'Whether `languages` also selects what has no language.',
  }),
})

/** What looking at a publication costs that is in another language; see `Cost`. */
const scannedPublication = 0.2

/** How lists select publications by these arguments: patterns for the SQL function `in_languages`, or null. */
export const byLanguage = {
  types: { languages: sql`text` },
  keyOf: ({ languages, includeUnknownLanguage }) => {
    const tags = lookupList('languages', languages, maxLanguages)
    const unknown = includeUnknownLanguage === false ? [] : ['-']
    return { languages: tags.length === 0 ? null : `{${[...tags.map((tag) => `${tag}-%`), ...unknown].join()}}` }
  },
  filter: (it, _row, part) => sql`in_languages(${it}.language, ${part('languages')}::text[])`,
  extra: ({ languages }) => (Array.isArray(languages) && languages.length > 0 ? maxScan * scannedPublication : 0),
} satisfies Partial<PageRead>
