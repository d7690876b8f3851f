import { type Html, html } from '../../engine/http/html.ts'

const addressOf = (contact: string) => (contact.startsWith('https:') ? contact : `mailto:${contact}`)

/** Words that lead to the operator, an e-mail address or a page; without a contact just the words. */
export function contactLink(contact: string | undefined, words: string): Html | string {
  return contact === undefined ? words : html`<a href="${addressOf(contact)}">${words}</a>`
}
