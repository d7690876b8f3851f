import { bookmarks, hashtag, home, newPosts, profile, publicTimeline, quotes, search, thread } from '../documents.ts'
import { byId, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { isViewer, waitsForApproval } from '../viewer.ts'
import { drawAudienceField } from './audience.ts'
import { drawForm, send } from './forms.ts'
import { drawAuthor, drawGone, drawItem, drawReposters, prepend } from './item.ts'
import { notified } from './notifications.ts'
import { drawProfile } from './profile.ts'
import { requested } from './requests.ts'
import { follow } from './subscription.ts'
import { drawPage, drawTimeline, nextAfter, type View } from './view.ts'

const field = byId('searched', HTMLInputElement)

byId('search', HTMLFormElement).onsubmit = (event) => {
  event.preventDefault()
  if (field.value.trim() === '') return
  const { hash } = location
  location.hash = `#/search/${encodeURIComponent(field.value)}`
  // Searching for the same text again does not change the address.
  if (location.hash === hash) dispatchEvent(new Event('refresh'))
}

/** Users, posts and replies that match a text. */
const searchFor = (text: string): View => ({
  title: `Search: ${text}`,
  isTimeline: true,
  empty: 'No posts found.',
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

const gone = 'This post does not exist, was deleted or is hidden from you.'

/** The whole thread of a post or a reply, as a tree. */
function threadOf(uuid: string): View {
  const tree = element('div', { className: 'thread' })
  /** Replies whose parents are not shown yet, with these parents. */
  const waiting = new Map<string, string>()
  const find = (uuid: string) => tree.querySelector(`[id="${uuid}"]`)

  function add(uuid: string, parentUuid: string | null, draw: () => Node): void {
    if (!find(uuid)) tree.append(draw())
    if (parentUuid) waiting.set(uuid, parentUuid)
  }
  function arrange(): void {
    for (const [uuid, parentUuid] of waiting) {
      const reply = find(uuid)
      const below = find(parentUuid)?.querySelector(':scope > .replies')
      if (!reply || !below) continue
      // A thread is in the order of its UUIDs, but the requested post is drawn before older ones are loaded.
      below.insertBefore(reply, [...below.children].find(({ id }) => id > uuid) ?? null)
      waiting.delete(uuid)
    }
  }

  return {
    title: 'Thread',
    empty: '',
    query: thread,
    variables: { uuid },
    rest: { operation: 'Posts/getPostThread', path: `/post/${uuid}/thread/1` },
    load: async (after) => {
      const { post } = await run(thread, { uuid, after, first: after === null })
      if (!post) throw new Error(gone)
      const { nodes, places, pageInfo } = post.thread
      const path = [...(post.ancestors ?? []).filter((ancestor) => ancestor !== null), post]
      for (const item of [...path, ...nodes]) {
        add(item.uuid, 'parentUuid' in item ? item.parentUuid : null, () => drawItem(item))
      }
      for (const place of places) add(place.uuid, place.parentUuid, () => drawGone(place.uuid, 'Deleted or hidden'))
      arrange()
      const asked = find(post.uuid)
      if (asked && after === null && 'parentUuid' in post) asked.ariaCurrent = 'true'
      return { head: [], items: [tree], next: nextAfter(pageInfo) }
    },
  }
}

/** What quotes a post or a reply. */
const quotesOf = (uuid: string): View => ({
  title: 'Quotes',
  isTimeline: true,
  empty: 'Nobody has quoted this.',
  query: quotes,
  variables: { uuid },
  rest: { operation: 'Posts/getPostQuotes', path: `/post/${uuid}/quotes/1` },
  load: async (after) => {
    const { post } = await run(quotes, { uuid, after })
    if (!post) throw new Error(gone)
    return drawPage(post.quotes)
  },
})

/** What the home timeline says to somebody who waits for approval. */
const pending = {
  note: 'A moderator has not approved your account yet. Until then, you can only read.',
  empty: 'Nothing here yet. Find posts to read under Public.',
} as const

function drawComposer(): HTMLElement {
  const audience = drawAudienceField()
  return drawForm('Post', async (draft) => prepend(await send(draft, {}, audience)), { audience })
}

const followed: View = {
  title: 'Home',
  empty: 'Nothing here yet. Find people to follow under Public, or write your first post.',
  isTimeline: true,
  query: home,
  variables: {},
  rest: { operation: 'Posts/getHome', path: '/timeline/home' },
  load: async (after) => {
    const [{ changeCursor, home: page }, waits] = await Promise.all([
      run(home, { after, first: after === null }),
      waitsForApproval(),
    ])
    const head = waits ? element('p', {}, pending.note) : drawComposer()
    const shown = { ...drawTimeline(page, after === null, head), ...(waits && { empty: pending.empty }) }
    if (changeCursor === undefined) return shown
    const followPosts = () =>
      follow(newPosts, changeCursor, ({ changes: { kind, actor, publication } }) => {
        if (!publication) return
        if (kind === 'REPOSTED' && actor) {
          prepend(publication, drawReposters({ repostedBy: [actor], reposterCount: 1 }))
        } else if (publication.__typename === 'Post') prepend(publication)
      })
    return { ...shown, follow: followPosts }
  },
}

const everybody: View = {
  title: 'Public',
  empty: 'Nobody has posted yet.',
  isTimeline: true,
  query: publicTimeline,
  variables: {},
  rest: { operation: 'Posts/getPublicTimeline', path: '/timeline/public/1' },
  load: async (after) => drawPage((await run(publicTimeline, { after })).publicTimeline),
}

const bookmarked: View = {
  title: 'Bookmarks',
  empty: 'No bookmarks yet. Press the bookmark below a post to keep it here. Only you see your bookmarks.',
  query: bookmarks,
  variables: {},
  rest: { operation: 'Users/getUserBookmarks', path: '/user/{user}/bookmarks/1' },
  load: async (after) => {
    const page = (await run(bookmarks, { after })).viewer?.bookmarks
    return drawPage(page ?? { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } })
  },
}

const taggedWith = (name: string): View => ({
  title: `#${name}`,
  empty: '',
  isTimeline: true,
  query: hashtag,
  variables: { name },
  rest: { operation: 'Hashtags/getHashtagPosts', path: `/tag/${encodeURIComponent(name)}/1` },
  load: async (after) => {
    const { hashtag: found } = await run(hashtag, { name, after })
    if (!found) throw new Error('No post has this hashtag.')
    return drawPage(
      found.publications,
      element('p', { className: 'handle' }, `Posts and replies: ${found.publicationCount}`),
    )
  },
})

const profileOf = (username: string): View => ({
  title: `@${username}`,
  empty: 'No posts yet.',
  query: profile,
  variables: { username },
  rest: { operation: 'Users/getUserTimeline', path: `/user/@${username}/timeline` },
  load: async (after) => {
    const { hash } = location
    const { user } = await run(profile, { username, after })
    if (!user) throw new Error('This user does not exist.')
    const isRenamed = user.username.toLowerCase() !== username.toLowerCase()
    if (isRenamed && location.hash === hash) location.replace(`#/@${user.username}`)
    const shown = drawTimeline(user.timeline, after === null, drawProfile(user))
    return user.isPrivate && !user.viewerIsFollowing && !(await isViewer(user.username))
      ? { ...shown, empty: 'This account is private. Follow it to see its posts.' }
      : shown
  },
})

/** Some programs encode the `@` of an address, and browsers leave a `%` in it that encodes nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * The view at `#/` (or `#/new`, with the focus on a new post), `#/public`, `#/bookmarks`, `#/notifications`, `#/requests`,
 * `#/post/<uuid>`, `#/post/<uuid>/quotes`, `#/tag/<name>`, `#/search/<text>` or `#/@<username>`.
 */
export function viewAt(hash: string): View {
  const path = decoded(hash.slice(2))
  if (path === 'public') return everybody
  if (path === 'bookmarks') return bookmarked
  if (path === 'notifications') return notified
  if (path === 'requests') return requested
  const [, uuid, isOfQuotes] = /^post\/([^/]*)(\/quotes)?$/.exec(path) ?? []
  if (uuid !== undefined) return isOfQuotes ? quotesOf(uuid) : threadOf(uuid)
  if (path.startsWith('tag/')) return taggedWith(path.slice('tag/'.length))
  if (path.startsWith('search/')) return searchFor(path.slice('search/'.length))
  return path.startsWith('@') ? profileOf(path.slice(1)) : followed
}
