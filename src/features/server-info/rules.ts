import MarkdownIt from 'markdown-it'
import { Html } from '../../engine/http/html.ts'

const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image')

/**
 * The rules of a server as markup, below the heading of a page. They begin with a heading of the second level with the id `rules`, which
 * is their title if they have one. HTML in them is text, and links run no scripts.
 */
export function rulesMarkup(rules: string): Html {
  const tokens = markdown.parse(rules, {})
  const title = tokens[0]?.tag === 'h1' && tokens.filter(({ tag }) => tag === 'h1').length === 2 ? tokens[0] : undefined
  title?.attrSet('id', 'rules')
  for (const token of tokens) {
    const [, level] = /^h([1-6])$/.exec(token.tag) ?? []
    if (level !== undefined) token.tag = `h${Math.min(Number(level) + (title ? 1 : 2), 6)}`
  }
  const markup = markdown.renderer.render(tokens, markdown.options, {})
  return new Html(title ? markup : `<h2 id="rules">Rules</h2>\n${markup}`)
}
