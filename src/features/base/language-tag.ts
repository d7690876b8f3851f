import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { languageIn } from '../../engine/text/language.ts'
import { languageForm } from './bounds.ts'

function parseLanguage(value: unknown, nodes?: ValueNode): string {
  const tag = typeof value === 'string' ? languageIn(value) : undefined
  if (tag === undefined) throw new GraphQLError('Value is not a language tag', nodes && { nodes })
  return tag
}

/** Languages: canonical in responses, in any form in input. */
export const languageScalar = new GraphQLScalarType<string, string>({
  name: 'LanguageTag',
  description:
    `A language tag (BCP 47) of at most ${languageForm.max} characters, such as \`en-GB\`. Responses have it in its canonical ` +
    'form; input may have any.',
  specifiedByURL: 'https://www.rfc-editor.org/info/bcp47',
  extensions: { requirement: 'must be a language tag (BCP 47)', form: languageForm },
  serialize: String,
  parseValue: parseLanguage,
  parseLiteral: (node) => parseLanguage(node.kind === Kind.STRING ? node.value : undefined, node),
})
