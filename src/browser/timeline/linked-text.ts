import type { Item } from '../documents.ts'
import { element } from '../dom.ts'

/** The content of a post as text and links to whom it mentions and to its hashtags, whose ranges are in code points. */
export function linked({ content, mentions, hashtags }: Pick<Item, 'content' | 'mentions' | 'hashtags'>) {
  const links = [
    ...mentions.map(({ user, ...range }) => ({ ...range, href: `#/@${user.username}` })),
    ...hashtags.map(({ hashtag, ...range }) => ({ ...range, href: `#/tag/${encodeURIComponent(hashtag.name)}` })),
  ]
  const characters = [...content]
  const text = (start: number, end?: number) => characters.slice(start, end).join('')
  let at = 0
  const nodes: (Node | string)[] = []
  for (const { start, end, href } of links.toSorted((a, b) => a.start - b.start)) {
    nodes.push(text(at, start), element('a', { href }, text(start, end)))
    at = end
  }
  return [...nodes, text(at)]
}
