import { search } from '../documents.ts'
import { byId, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawAuthor } from './item.ts'
import { drawPage, type View } from './view.ts'

const field = byId('searched', HTMLInputElement)

byId('search', HTMLFormElement).onsubmit = (event) => {
  event.preventDefault()
  if (field.value.trim() === '') return
  const { hash } = location
  location.hash = `#/search/${encodeURIComponent(field.value)}`
  // The same text again is searched for again.
  if (location.hash === hash) dispatchEvent(new Event('refresh'))
}

/** Users, and posts and replies, that a text finds. */
export const searchFor = (text: string): View => ({
  title: `Search: ${text}`,
  isTimeline: true,
  empty: 'No posts were found.',
  query: search,
  variables: { text },
  rest: { operation: 'Posts/searchPosts', path: `/search/posts?${new URLSearchParams({ q: text })}` },
  load: async (after) => {
    const { searchUsers: users = [], searchPublications: page } = await run(search, {
      text,
      after,
      first: after === null,
    })
    const found = users.map((user) => element('li', {}, drawAuthor(user)))
    return drawPage(page, ...(found.length > 0 ? [element('ul', { ariaLabel: 'Users' }, ...found)] : []))
  },
})
