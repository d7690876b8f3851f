import { detachQuote, type Item, updatePost } from '../documents.ts'
import { element } from '../dom.ts'
import { run } from '../graphql.ts'
import type { Choice } from './controls.ts'
import { drawIdentity } from './names.ts'
import { ago, inFull } from './times.ts'
import { drawText } from './warning.ts'

type Quoted = NonNullable<Item['quoted']>

/** The address of a post or a reply, in its thread. */
export const hrefOf = (uuid: string) => `#/post/${uuid}`

/** Whether something can be reposted and quoted. */
export const isForEverybody = ({ audience, author }: Item) => audience === 'EVERYBODY' && !author.isPrivate

/** Draws what an item quotes, if it quotes something. */
export function drawQuote({ quotedUuid, quoted }: Item): Node | string {
  if (quoted) return drawQuoted(quoted)
  return quotedUuid ? element('div', { className: 'quoted' }, 'Not available') : ''
}

/** Draws a post or a reply that is quoted. */
export function drawQuoted({ uuid, content, createdAt, author, ...quoted }: Quoted): HTMLElement {
  const by = element('a', { href: `#/@${author.username}` }, ...drawIdentity(author))
  const sent = element('time', { dateTime: createdAt }, ago(createdAt))
  const time = element('a', { href: hrefOf(uuid), title: inFull(createdAt) }, sent)
  return element('blockquote', { className: 'quoted' }, element('header', {}, by, time), drawText(quoted, content))
}

/** Draws the link to what quotes an item. */
export function drawQuotesLink({ uuid, quoteCount }: Item): Node | string {
  if (quoteCount === 0) return ''
  return element('a', { href: `${hrefOf(uuid)}/quotes` }, quoteCount === 1 ? '1 quote' : `${quoteCount} quotes`)
}

/** What a menu offers to the author of an item about quotes of it. */
export function quotableChoices(item: Item, changed: (item: Item) => void): Choice[] {
  if (!isForEverybody(item)) return []
  const { uuid, quotable } = item
  const choose = async () => {
    changed((await run(updatePost, { input: { uuid, quotable: !quotable } })).updatePost.publication)
  }
  return [{ text: quotable ? 'Forbid quotes' : 'Allow quotes', choose }]
}

/** What a menu offers to the author of what an item quotes. */
export const detachChoice = ({ uuid }: Item, changed: (item: Item) => void): Choice => ({
  text: 'Remove the quote of your post',
  choose: async () => {
    const { publication } = (await run(detachQuote, { input: { uuid } })).detachQuote
    if (publication) changed(publication)
  },
})
