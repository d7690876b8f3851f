import { pageOfList } from './pages.ts'
import type { PublicationNumber, Request, UserReference } from './requests.ts'
import { NetworkState, type Publication, Refusal, type User } from './state.ts'

/** What only the server decides about a new publication. */
export type Identity = { readonly uuid: string; readonly created_at: number }

/** A UUID that nothing has. */
export const nothing = '01900000-0000-7000-8000-00000000ffff'

type Named<Name extends Request['name']> = Extract<Request, { readonly name: Name }>

function requireContent(text: string): void {
  const characters = [...text]
  const isPlain = characters.every((character) => character >= ' ' || '\t\n\r'.includes(character))
  if (!isPlain || text.trim() === '' || characters.length > 500) throw new Refusal('VALIDATION_FAILED')
}

/** The rules of the network in memory. It answers each request in the shapes of REST, or with `{ refused }`. */
export class NetworkModel {
  readonly #state: NetworkState

  constructor(users: readonly User[]) {
    this.#state = new NetworkState(users)
  }

  /** The UUID of a publication by its number. */
  uuidOf = (number: PublicationNumber): string => this.#state.numbered(number)?.uuid ?? nothing

  /** The number of publications, deleted ones included. */
  get size(): number {
    return this.#state.publications.length
  }

  /** The author of the publication that a request concerns, if there is one. */
  authorOf(request: Request): User | undefined {
    return 'publication' in request ? this.#state.numbered(request.publication)?.author : undefined
  }

  /** What a request returns to its viewer. `identity` is that of the publication which the request sends. */
  answer(viewer: User, request: Request, identity: Identity): unknown {
    try {
      return this.#answer(viewer, request, identity)
    } catch (error) {
      if (error instanceof Refusal) return { refused: error.code }
      throw error
    }
  }

  #answer(viewer: User, request: Request, identity: Identity): unknown {
    const state = this.#state
    switch (request.name) {
      case 'send':
        return this.#send(viewer, request, identity)
      case 'edit':
        return this.#edit(viewer, request)
      case 'delete':
        return this.#delete(viewer, request)
      case 'like':
        return this.#like(viewer, state.find(request.publication, request.group))
      case 'follow':
        return this.#follow(viewer, request.user)
      case 'post':
        return state.postObject(state.find(request.publication), viewer)
      case 'reply':
        return state.replyObject(state.find(request.publication, 'reply'), viewer)
      case 'publications': {
        const found = request.publications.map((each) => state.numbered(each))
        return { posts: found.map((it) => (it && !it.deleted ? state.postObject(it, viewer) : null)) }
      }
      case 'viewer':
        return this.#profile(viewer, viewer)
      case 'user':
        return this.#profile(state.findUser(request.user), viewer)
      default:
        return pageOfList(state, viewer, request)
    }
  }

  #send(author: User, { content, locked = false, parent: number }: Named<'send'>, { uuid, created_at }: Identity) {
    requireContent(content)
    const parent = number === undefined ? null : this.#state.find(number)
    if (parent?.locked && parent.author !== author) throw new Refusal('POST_LOCKED')
    const { publications } = this.#state
    if (uuid <= (publications.at(-1)?.uuid ?? '')) throw new Error(`${uuid} is not in the order of time`)
    const sent = { uuid, created_at, author, from: author.application, parent, content, locked, deleted: false }
    publications.push(sent)
    return this.#state.postObject(sent, author)
  }

  #edit(viewer: User, { publication, group, content, locked }: Named<'edit'>) {
    if (content === undefined && locked === undefined) throw new Refusal('VALIDATION_FAILED')
    if (content !== undefined) requireContent(content)
    const own = this.#state.findOwn(viewer, publication, group)
    own.content = content ?? own.content
    own.locked = locked ?? own.locked
    return this.#state.postObject(own, viewer)
  }

  /** Returns the publication as it was. Its replies remain, and its likes do not. */
  #delete(viewer: User, { publication, group }: Named<'delete'>) {
    const own = this.#state.findOwn(viewer, publication, group)
    const before = this.#state.postObject(own, viewer)
    own.deleted = true
    this.#state.likes = this.#state.likes.filter((like) => like.of !== own)
    return before
  }

  #like(by: User, of: Publication) {
    const { likes } = this.#state
    const others = likes.filter((like) => like.by !== by || like.of !== of)
    const isLiked = others.length < likes.length
    this.#state.likes = isLiked ? others : [...likes, { by, of }]
    return isLiked ? 'unliked' : 'liked'
  }

  #follow(by: User, reference: UserReference) {
    const of = this.#state.findUser(reference)
    if (of === by) throw new Refusal('VALIDATION_FAILED')
    const { follows } = this.#state
    const others = follows.filter((follow) => follow.by !== by || follow.of !== of)
    const isFollowed = others.length < follows.length
    this.#state.follows = isFollowed ? others : [...follows, { by, of }]
    return isFollowed ? 'unfollowed' : 'followed'
  }

  #profile(user: User, viewer: User) {
    const own = user === viewer ? { email: user.email, email_verified: false } : {}
    return { ...this.#state.userObject(user, viewer), ...own }
  }
}
