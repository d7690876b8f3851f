import {
  bookmarks,
  hashtag,
  homeTimeline,
  newPosts,
  profile,
  publicTimeline,
  setFollow,
  type User,
} from '../documents.ts'
import { attempt, element } from '../dom.ts'
import { run } from '../graphql.ts'
import { drawFace } from '../picture.ts'
import { isViewer } from '../viewer.ts'
import { accountChoices } from './account.ts'
import { drawForm, send } from './forms.ts'
import { prepend } from './item.ts'
import { drawMenu } from './menu.ts'
import { notified } from './notifications.ts'
import { reportChoice } from './report.ts'
import { searchFor } from './search.ts'
import { follow } from './subscription.ts'
import { threadOf } from './thread.ts'
import { drawPage, type View } from './view.ts'

const postsOf = (user: string) => ({ operation: 'Users/getUserPosts', path: `/user/${user}/posts/1` })

const home: View = {
  title: 'Home',
  empty: 'Nothing here yet. Follow somebody in Public, or write the first post.',
  isTimeline: true,
  query: homeTimeline,
  variables: {},
  rest: postsOf('{user}'),
  load: async (after) => {
    const { changeCursor, homeTimeline: page } = await run(homeTimeline, { after, first: after === null })
    const form = drawForm('Post', async (text) => prepend(await send(text, null)))
    const shown = drawPage(page, form)
    if (changeCursor === undefined) return shown
    const followPosts = () =>
      follow(newPosts, changeCursor, ({ changes: { publication } }) => {
        if (publication?.__typename === 'Post') prepend(publication)
      })
    return { ...shown, follow: followPosts }
  },
}

const everybody: View = {
  ...home,
  title: 'Public',
  empty: 'Nobody has posted yet.',
  query: publicTimeline,
  load: async (after) => drawPage((await run(publicTimeline, { after })).publicTimeline),
}

const bookmarked: View = {
  title: 'Bookmarks',
  empty: 'No bookmarks yet. The bookmark below a post keeps it here, where only you see it.',
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
  rest: postsOf(`@${username}`),
  load: async (after) => {
    const { hash } = location
    const { user } = await run(profile, { username, after })
    if (!user) throw new Error('There is no such user.')
    const isRenamed = user.username.toLowerCase() !== username.toLowerCase()
    if (isRenamed && location.hash === hash) location.replace(`#/@${user.username}`)
    return drawPage(user.posts, drawProfile(user))
  },
})

function drawProfile(user: User): HTMLElement {
  const name = element('h2', { dir: 'auto' }, user.displayName)
  const bio = element('p', { dir: 'auto' }, user.bio)
  return element('section', { className: 'card profile' }, drawFace(user.uuid), name, bio, drawFollow(user))
}

function drawFollow({ uuid, ...start }: User): HTMLElement {
  const button = element('button', {})
  const menu = drawMenu(() => [...accountChoices({ uuid, ...start }), reportChoice(uuid)])
  const counts = element('span', { className: 'counts' })
  const line = element('p', {}, counts)
  isViewer(start.username).then((isOneself) => {
    if (isOneself) return
    if (!start.viewerIsBlocking && !start.isBlockingViewer) line.append(button)
    line.append(menu)
  })
  const show = (user: Pick<User, 'followerCount' | 'viewerIsFollowing'>) => {
    button.textContent = user.viewerIsFollowing ? 'Unfollow' : 'Follow'
    button.className = user.viewerIsFollowing ? '' : 'main'
    const followers = user.followerCount === 1 ? '1 follower' : `${user.followerCount} followers`
    counts.textContent = `${followers} · ${start.followingCount} following`
  }
  button.onclick = () =>
    attempt(button, async () => {
      const { setFollow: done } = await run(setFollow, { input: { uuid, followed: button.textContent === 'Follow' } })
      show(done.user)
    })
  show(start)
  if (start.viewerIsBlocking) counts.after(' You block this account. ')
  if (start.isBlockingViewer) counts.after(' This account blocks you. ')
  return line
}

/** Some programs encode the `@` of an address, and browsers leave a `%` in it that encodes nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The view at `#/` (or `#/new`, with the focus on a new post), `#/public`, `#/bookmarks`, `#/notifications`, `#/post/<uuid>`, `#/tag/<name>`, `#/search/<text>` or `#/@<username>`. */
export function viewAt(hash: string): View {
  const path = decoded(hash.slice(2))
  if (path === 'public') return everybody
  if (path === 'bookmarks') return bookmarked
  if (path === 'notifications') return notified
  if (path.startsWith('post/')) return threadOf(path.slice('post/'.length))
  if (path.startsWith('tag/')) return taggedWith(path.slice('tag/'.length))
  if (path.startsWith('search/')) return searchFor(path.slice('search/'.length))
  return path.startsWith('@') ? profileOf(path.slice(1)) : home
}
