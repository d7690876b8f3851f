import { byId, element } from '../element.ts'
import { type Document, run } from '../graphql.ts'
import { attempt } from './attempt.ts'
import { homeTimeline, type Item, profile, publicTimeline, setFollow, thread, type User } from './documents.ts'
import { drawForm, drawItem } from './item.ts'

/** What a page of a view shows. `next` is the cursor to go on from, if there is more. */
type Shown = {
  readonly head: readonly HTMLElement[]
  readonly items: readonly HTMLElement[]
  readonly next: string | null
}

/** One of the views: the query behind it, and how its data is drawn. */
export type View = {
  readonly title: string
  readonly document: Document<unknown>
  readonly variables: Readonly<Record<string, string>>
  /** The REST operation that comes closest, with what its path names. */
  readonly rest: {
    readonly operation: string
    readonly path: string
    readonly target: Readonly<Record<string, string>>
  }
  load(after: string | null): Promise<Shown>
}

type Nested = Item & { readonly replies?: { readonly nodes: readonly Nested[] } }
type Page = {
  readonly nodes: readonly Nested[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

const drawNested = (item: Nested): HTMLElement => drawItem(item, item.replies?.nodes.map(drawNested))

function drawPage({ nodes, pageInfo: { hasNextPage, endCursor } }: Page, ...head: readonly HTMLElement[]): Shown {
  return { head, items: nodes.map(drawNested), next: hasNextPage ? endCursor : null }
}

const ownPosts = { operation: 'Users/getUserPosts', path: '/user/{user}/posts/1', target: {} }

const home: View = {
  title: 'Home',
  document: homeTimeline,
  variables: {},
  rest: ownPosts,
  load: async (after) => {
    const write = drawForm('Post', null, (item) => byId('list', HTMLElement).prepend(drawItem(item)))
    return drawPage((await run(homeTimeline, { after })).homeTimeline, write)
  },
}

const everybody: View = {
  title: 'Public',
  document: publicTimeline,
  variables: {},
  rest: ownPosts,
  load: async (after) => drawPage((await run(publicTimeline, { after })).publicTimeline),
}

const threadOf = (uuid: string): View => ({
  title: 'Thread',
  document: thread,
  variables: { uuid },
  rest: { operation: 'Posts/getPostReplies', path: `/post/${uuid}/replies/1`, target: { uuid } },
  load: async (after) => {
    const { post } = await run(thread, { uuid, after })
    if (!post) throw new Error('There is no such post, or it was deleted.')
    const parent = 'parent' in post && post.parent ? [drawItem(post.parent)] : []
    return drawPage(post.replies, ...parent, drawItem(post))
  },
})

const profileOf = (username: string): View => ({
  title: `@${username}`,
  document: profile,
  variables: { username },
  rest: { operation: 'Users/getUserPosts', path: `/user/@${username}/posts/1`, target: { user: `@${username}` } },
  load: async (after) => {
    const { viewer, user } = await run(profile, { username, after })
    if (!user) throw new Error('There is no such user.')
    return drawPage(
      user.posts,
      element('h2', {}, user.displayName),
      element('p', {}, user.bio),
      drawFollow(user, user.uuid === viewer?.uuid),
    )
  },
})

function drawFollow({ uuid, ...start }: User, isViewer: boolean): HTMLElement {
  const button = element('button', { hidden: isViewer })
  const counts = element('span', {})
  const show = (user: Pick<User, 'followerCount' | 'viewerIsFollowing'>) => {
    button.textContent = user.viewerIsFollowing ? 'Unfollow' : 'Follow'
    counts.textContent = ` Followers: ${user.followerCount}, following: ${start.followingCount}`
  }
  button.onclick = () =>
    attempt(button, async () => {
      const { setFollow: done } = await run(setFollow, { input: { uuid, followed: button.textContent === 'Follow' } })
      show(done.user)
    })
  show(start)
  return element('p', {}, button, counts)
}

/** The view at `#/`, `#/public`, `#/post/<uuid>` or `#/@<username>`. */
export function viewAt(hash: string): View {
  const path = hash.slice(2)
  if (path === 'public') return everybody
  if (path.startsWith('post/')) return threadOf(path.slice('post/'.length))
  return path.startsWith('@') ? profileOf(path.slice(1)) : home
}
