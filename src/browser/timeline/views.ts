import { attempt, element } from '../element.ts'
import { run } from '../graphql.ts'
import { isViewer } from '../viewer.ts'
import { accountChoices } from './account.ts'
import {
  bookmarks,
  homeTimeline,
  type Item,
  profile,
  publicTimeline,
  setFollow,
  thread,
  type User,
} from './documents.ts'
import { drawForm, send } from './forms.ts'
import { drawItem, prepend } from './item.ts'
import { followHome } from './live.ts'
import { drawMenu } from './menu.ts'
import { reportChoice } from './report.ts'

type Nested = Item & { readonly replies?: { readonly nodes: readonly Nested[] } }
type Page = {
  readonly nodes: readonly Nested[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

const drawNested = (item: Nested): HTMLElement => drawItem(item, item.replies?.nodes.map(drawNested))

/** Draws a page of a view. `next` is the cursor to continue from, if there is more. */
function drawPage({ nodes, pageInfo: { hasNextPage, endCursor } }: Page, ...head: readonly HTMLElement[]) {
  return { head, items: nodes.map(drawNested), next: hasNextPage ? endCursor : null }
}

/** Shows what is new in a view, until the function that it returns is called. */
type Follow = () => () => void

/** One of the views: the query behind it, and how its data is drawn. */
export type View = {
  readonly title: string
  readonly query: string
  /** Whether it leaves out whom the reader mutes. */
  readonly isTimeline?: boolean
  readonly variables: Readonly<Record<string, string>>
  /** The REST operation that comes closest. */
  readonly rest: { readonly operation: string; readonly path: string }
  load(after: string | null): Promise<ReturnType<typeof drawPage> & { readonly follow?: Follow | undefined }>
}

const postsOf = (user: string) => ({ operation: 'Users/getUserPosts', path: `/user/${user}/posts/1` })

const home: View = {
  title: 'Home',
  isTimeline: true,
  query: homeTimeline,
  variables: {},
  rest: postsOf('{user}'),
  load: async (after) => {
    const { changeCursor, homeTimeline: page } = await run(homeTimeline, { after, first: after === null })
    const form = drawForm('Post', async (text) => prepend(await send(text, null)))
    const follow = changeCursor === undefined ? undefined : () => followHome(changeCursor, prepend)
    return { ...drawPage(page, form), follow }
  },
}

const everybody: View = {
  ...home,
  title: 'Public',
  query: publicTimeline,
  load: async (after) => drawPage((await run(publicTimeline, { after })).publicTimeline),
}

const bookmarked: View = {
  title: 'Bookmarks',
  query: bookmarks,
  variables: {},
  rest: { operation: 'Users/getUserBookmarks', path: '/user/{user}/bookmarks/1' },
  load: async (after) => {
    const page = (await run(bookmarks, { after })).viewer?.bookmarks
    return drawPage(page ?? { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } })
  },
}

const threadOf = (uuid: string): View => ({
  title: 'Thread',
  query: thread,
  variables: { uuid },
  rest: { operation: 'Posts/getPostReplies', path: `/post/${uuid}/replies/1` },
  load: async (after) => {
    const { post } = await run(thread, { uuid, after })
    if (!post) throw new Error('There is no such post, or it was deleted.')
    const parent = 'parent' in post && post.parent ? [drawItem(post.parent)] : []
    return drawPage(post.replies, ...parent, drawItem(post))
  },
})

const profileOf = (username: string): View => ({
  title: `@${username}`,
  query: profile,
  variables: { username },
  rest: postsOf(`@${username}`),
  load: async (after) => {
    const { user } = await run(profile, { username, after })
    if (!user) throw new Error('There is no such user.')
    const name = element('h2', { dir: 'auto' }, user.displayName)
    return drawPage(user.posts, name, element('p', { dir: 'auto' }, user.bio), drawFollow(user))
  },
})

function drawFollow({ uuid, ...start }: User): HTMLElement {
  const button = element('button', {})
  const menu = drawMenu(() => [...accountChoices({ uuid, ...start }), reportChoice(uuid)])
  const counts = element('span', {})
  const line = element('p', {}, counts)
  isViewer(start.username).then((isOneself) => {
    if (isOneself) return
    if (!start.viewerIsBlocking && !start.isBlockingViewer) line.prepend(button)
    line.append(menu)
  })
  const show = (user: Pick<User, 'followerCount' | 'viewerIsFollowing'>) => {
    button.textContent = user.viewerIsFollowing ? 'Unfollow' : 'Follow'
    counts.textContent = ` Followers: ${user.followerCount}, following: ${start.followingCount} `
  }
  button.onclick = () =>
    attempt(button, async () => {
      const { setFollow: done } = await run(setFollow, { input: { uuid, followed: button.textContent === 'Follow' } })
      show(done.user)
    })
  show(start)
  if (start.viewerIsBlocking) line.append('· You block this account. ')
  if (start.isBlockingViewer) line.append('· This account blocks you. ')
  return line
}

/** The view at `#/`, `#/public`, `#/bookmarks`, `#/post/<uuid>` or `#/@<username>`. */
export function viewAt(hash: string): View {
  // Some programs encode the `@` of an address.
  const path = hash.slice(2).replace(/^%40/, '@')
  if (path === 'public') return everybody
  if (path === 'bookmarks') return bookmarked
  if (path.startsWith('post/')) return threadOf(path.slice('post/'.length))
  return path.startsWith('@') ? profileOf(path.slice(1)) : home
}
