import './bar.ts'
import './timeline.css'
import './timeline/parts.css'
import './timeline/post.css'
import { Bell, Bookmark, Globe, House, type IconNode } from 'lucide'
import { showCode } from './code.ts'
import { attempt, byId, linkToGraphiQL } from './dom.ts'
import { drawIcon } from './picture.ts'
import { authorization } from './token.ts'
import './timeline/notifications.ts'
import './timeline/keys.ts'
import type { View } from './timeline/view.ts'
import { viewAt } from './timeline/views.ts'

const title = byId('title')
const head = byId('head')
const list = byId('list')
const none = byId('none')
const more = byId('more', HTMLButtonElement)
const icons: Readonly<Record<string, IconNode>> = {
  Home: House,
  Public: Globe,
  Bookmarks: Bookmark,
  Notifications: Bell,
}

/** The view that is shown. What is still loading for an earlier one is discarded. */
let current: View
let stopFollowing: (() => void) | undefined
const { siteName = '' } = document.body.dataset

/** Shows the view at the current address, from its first page. */
function show(): void {
  const view = viewAt(location.hash)
  current = view
  stopFollowing?.()
  stopFollowing = undefined
  document.title = `${view.title} – ${siteName}`
  title.textContent = view.title
  for (const link of document.querySelectorAll<HTMLAnchorElement>('#views a')) {
    link.ariaCurrent = link.textContent === view.title ? 'page' : null
  }
  byId('searched', HTMLInputElement).value = view.variables.text ?? ''
  head.replaceChildren()
  list.replaceChildren()
  none.textContent = ''
  list.className = view.isTimeline ? 'timeline' : ''
  byId('said').replaceChildren()
  more.hidden = true
  showQuery(view)
  load(view, null)
}

function load(view: View, after: string | null): Promise<void> {
  return attempt(more, async () => {
    if (!authorization().Authorization) return
    const shown = await view.load(after)
    if (view !== current) return
    if (after === null) {
      head.replaceChildren(...shown.head)
      stopFollowing?.()
      stopFollowing = shown.follow?.()
    }
    list.append(...shown.items)
    none.textContent = shown.next === null ? (shown.empty ?? view.empty) : ''
    more.hidden = shown.next === null
    more.onclick = () => load(view, shown.next)
    if (after !== null) return
    if (location.hash === '#/new') head.querySelector('textarea')?.focus()
    const asked = list.querySelector<HTMLElement>('[aria-current]')
    asked?.focus({ preventScroll: true })
    asked?.scrollIntoView()
  })
}

/** Shows the query behind a view, and where to run it. */
function showQuery({ query, variables, rest: { operation, path } }: View): void {
  const text = Object.keys(variables).length > 0 ? JSON.stringify(variables, null, 2) : ''
  showCode(byId('source'), text ? `${query}\n\n${text}` : query)
  linkToGraphiQL({ query, variables: text })
  const docs = byId('in-rest', HTMLAnchorElement)
  docs.textContent = `GET ${path}`
  docs.search = String(new URLSearchParams(variables))
  docs.hash = `/${operation}`
}

for (const link of document.querySelectorAll<HTMLAnchorElement>('#views a')) {
  const icon = icons[link.textContent]
  if (icon) link.prepend(drawIcon(icon))
}
byId('behind', HTMLDetailsElement).open = matchMedia('(min-width: 64rem)').matches
for (const event of ['hashchange', 'refresh']) {
  addEventListener(event, () => {
    show()
    title.focus()
  })
}
addEventListener('token', show)
// A link to the address of the page changes nothing.
byId('views').onclick = ({ target }) => {
  if (target instanceof HTMLAnchorElement && target.hash === location.hash) dispatchEvent(new Event('refresh'))
}
show()
