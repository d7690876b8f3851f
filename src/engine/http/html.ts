/** Markup. Its text was escaped. */
export class Html {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

type Part = Html | string | undefined | readonly (Html | string)[]

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const markupOf = (part: Part): string => {
  if (part === undefined) return ''
  if (typeof part === 'string') return escaped(part)
  return part instanceof Html ? part.toString() : part.map(markupOf).join('\n')
}

/** Markup with texts in it, which are escaped. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(literals.map((literal, index) => literal + markupOf(parts[index])).join(''))
}
