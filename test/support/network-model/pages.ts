import { type PublicationList, sizeOf, type UserList } from './requests.ts'
import { type NetworkState, type Publication, Refusal, type User } from './state.ts'

const isWithin = (value: number, max: number) => value >= 1 && value <= max

/** One page of a list, and whether more follow. */
export function pageOfList(state: NetworkState, viewer: User, request: PublicationList | UserList): unknown {
  const size = sizeOf(request)
  // A page may end at row 100,000.
  if (!isWithin(size, 100) || !isWithin(request.page, Math.ceil(100_000 / size))) throw new Refusal('VALIDATION_FAILED')
  const start = (request.page - 1) * size
  const post = (it: Publication) => state.postObject(it, viewer)
  const user = (it: User) => state.userObject(it, viewer)
  const page = <Item>(all: readonly Item[], show: (item: Item) => object) => ({
    [request.name]: all.slice(start, start + size).map(show),
    more: start + size < all.length,
  })
  switch (request.name) {
    case 'replies': {
      const of = state.find(request.publication)
      return { post: post(of), ...page(state.replies(of), post) }
    }
    case 'likers': {
      const of = state.find(request.publication)
      return { post: of.uuid, ...page(state.likers(of).toReversed(), user) }
    }
    case 'posts': {
      const of = state.findUser(request.user)
      const own = state.posts().filter(({ author }) => author === of)
      return { user: of.uuid, ...page(own.toReversed(), post) }
    }
    case 'likes': {
      const of = state.findUser(request.user)
      if (of !== viewer) throw new Refusal('FORBIDDEN')
      return { user: of.uuid, ...page(state.liked(of).toReversed(), post) }
    }
    case 'following':
      return page(state.following(state.findUser(request.user)).toReversed(), user)
    case 'followers':
      return page(state.followers(state.findUser(request.user)).toReversed(), user)
  }
}
