import type { FastifyInstance } from 'fastify'

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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The media type and the largest size of bodies, in bytes, where these are not those of the APIs. */
    body?: { readonly type: string; readonly limit: number }
  }
}

/** The media type of forms. */
const formType = 'application/x-www-form-urlencoded'

/** Tells the routes of a scope which bodies they take, so that refusals say it. */
export function limitBodies(scope: FastifyInstance, limit: number, type = formType): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, body: { type, limit } }
  })
}

/** Lets the routes of a scope take forms, as their text, of at most so many bytes. */
export function acceptForms(scope: FastifyInstance, bodyLimit: number): void {
  limitBodies(scope, bodyLimit)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<string>(formType, { parseAs: 'string', bodyLimit }, (_request, body, done) =>
    done(null, body),
  )
}

/** The fields of a form. Browsers send line breaks as CRLF. */
export function fieldsOf(body: unknown): Record<string, string> {
  const fields = new URLSearchParams(typeof body === 'string' ? body : '')
  return Object.fromEntries([...fields].map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]))
}
