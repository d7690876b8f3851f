import MarkdownIt from 'markdown-it'
import { Html } from '../../engine/http/html.ts'

const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image')

/**
 * The rules of a server as markup, below the heading of a page. They begin with a heading of the second level with the id `rules`, which
 * is their title if they have one. HTML in them is text, and links run no scripts.
 */
export function rulesMarkup(rules: string): Html {
  const tokens = markdown.parse(rules, {})
  const headings = tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close')
  const levelOf = ({ tag }: { readonly tag: string }) => Number(tag.slice(1))
  const [first, ...others] = headings.filter(({ type }) => type === 'heading_open')
  const isTitle = first === tokens[0] && others.every((other) => levelOf(other) > levelOf(first ?? other))
  const title = isTitle ? first : undefined
  title?.attrSet('id', 'rules')
  const lowered = (title ? 2 : 3) - Math.min(...headings.map(levelOf))
  for (const heading of headings) heading.tag = `h${Math.min(levelOf(heading) + lowered, 6)}`
  const markup = markdown.renderer.render(tokens, markdown.options, {})
  return new Html(title ? markup : `<h2 id="rules">Rules</h2>\n${markup}`)
}
