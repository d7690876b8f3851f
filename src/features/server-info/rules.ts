import MarkdownIt from 'markdown-it'
import { Html } from '../../engine/http/html.ts'

/** By how many levels the headings of rules are below those of a page. */
const lowered = 2

const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image')

markdown.core.ruler.push('lower_headings', ({ tokens }) => {
  for (const token of tokens) {
    const [, level] = /^h([1-6])$/.exec(token.tag) ?? []
    if (level !== undefined) token.tag = `h${Math.min(Number(level) + lowered, 6)}`
  }
})

/** The rules of a server as markup. HTML in them is text, and links run no scripts. */
export const rulesMarkup = (rules: string): Html => new Html(markdown.render(rules))
