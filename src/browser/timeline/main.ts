import '../bar.ts'
import './timeline.css'
import { byId, setSearch } from '../element.ts'
import { currentToken } from '../session.ts'
import { attempt } from './attempt.ts'
import { type View, viewAt } from './views.ts'

const title = byId('title', HTMLElement)
const head = byId('head', HTMLElement)
const list = byId('list', HTMLElement)
const more = byId('more', HTMLButtonElement)

/** The view that is shown. What is still loading for an earlier one is discarded. */
let current: View

/** Shows the view at the current address, from its first page. */
function show(): void {
  const view = viewAt(location.hash)
  current = view
  document.title = `${view.title} – Rookery`
  title.textContent = view.title
  for (const link of document.querySelectorAll<HTMLAnchorElement>('#views a')) {
    link.ariaCurrent = link.textContent === view.title ? 'page' : null
  }
  head.replaceChildren()
  list.replaceChildren()
  more.hidden = true
  showQuery(view)
  if (currentToken() === '') {
    byId('problem', HTMLElement).textContent = 'Reading needs a token: sign in, or sign up.'
    return
  }
  load(view, null)
}

function load(view: View, after: string | null): Promise<void> {
  return attempt(more, async () => {
    const shown = await view.load(after)
    if (view !== current) return
    if (after === null) head.replaceChildren(...shown.head)
    list.append(...shown.items)
    more.hidden = shown.next === null
    more.onclick = () => load(view, shown.next)
  })
}

/** Shows the query behind a view, and where to run it. */
function showQuery({ document: { source }, variables, rest }: View): void {
  const text = JSON.stringify(variables, null, 2)
  const { operation, path, target } = rest
  byId('source', HTMLElement).textContent = `${source}\n\n${text}`
  setSearch('in-graphiql', { query: source, variables: text })
  const docs = byId('in-rest', HTMLAnchorElement)
  docs.textContent = `GET ${path}`
  docs.search = String(new URLSearchParams(target))
  docs.hash = `/${operation}`
}

byId('behind', HTMLDetailsElement).open = matchMedia('(min-width: 64rem)').matches
addEventListener('hashchange', () => {
  show()
  title.focus()
})
addEventListener('token', show)
show()
