import { createHash } from 'node:crypto'
import type { Code, Group, PublicationNumber, UserReference } from './requests.ts'

/** An application, as it is shown in a post object. */
export type Application = { readonly uuid: string; readonly name: string; readonly website: string | null }

/** An account of the model. */
export type User = {
  readonly uuid: string
  readonly username: string
  readonly email: string
  readonly joined: number
  /** The application of its token. */
  readonly application: Application | null
  displayName: string
  bio: string
}

/** A post, or with a parent a reply. */
export type Publication = {
  readonly uuid: string
  readonly created_at: number
  readonly author: User
  readonly from: Application | null
  readonly parent: Publication | null
  content: string
  locked: boolean
  deleted: boolean
}

/** A refusal that the rules of the network require. */
export class Refusal extends Error {
  readonly code: Code
  constructor(code: Code) {
    super(code)
    this.code = code
  }
}

/** A network as plain lists, each in the order in which its members were added, and how its objects look in responses. */
export class NetworkState {
  readonly users: readonly User[]
  readonly publications: Publication[] = []
  likes: readonly { readonly by: User; readonly of: Publication }[] = []
  follows: readonly { readonly by: User; readonly of: User }[] = []

  constructor(users: readonly User[]) {
    this.users = users
  }

  likers = (publication: Publication) => this.likes.filter((like) => like.of === publication).map((like) => like.by)
  liked = (user: User) => this.likes.filter((like) => like.by === user).map((like) => like.of)
  followers = (user: User) => this.follows.filter((follow) => follow.of === user).map((follow) => follow.by)
  following = (user: User) => this.follows.filter((follow) => follow.by === user).map((follow) => follow.of)
  replies = (publication: Publication) => this.publications.filter((it) => it.parent === publication && !it.deleted)
  posts = () => this.publications.filter((it) => it.parent === null && !it.deleted)

  /** The publication with a number; undefined for a number beyond the last one. */
  numbered(number: PublicationNumber): Publication | undefined {
    return this.publications[number % (this.publications.length + 1)]
  }

  find(number: PublicationNumber, group: Group = 'post'): Publication {
    const found = this.numbered(number)
    if (!found || found.deleted || (group === 'reply' && found.parent === null)) throw new Refusal('NOT_FOUND')
    return found
  }

  findOwn(viewer: User, number: PublicationNumber, group: Group): Publication {
    const found = this.find(number, group)
    if (found.author !== viewer) throw new Refusal('FORBIDDEN')
    return found
  }

  findUser(reference: UserReference): User {
    const name = reference.startsWith('@') ? reference.slice(1).toLowerCase() : undefined
    const found = this.users.find((it) => it.username.toLowerCase() === name || it.uuid === reference)
    if (!found) throw new Refusal('NOT_FOUND')
    return found
  }

  /** A post object (section 2.1 of the interface). */
  postObject(it: Publication, viewer: User) {
    return {
      uuid: it.uuid,
      parent: it.parent && this.#parentObject(it.parent),
      author: this.#author(it.author),
      content: it.content,
      from: it.from,
      locked: it.locked,
      reply_count: this.replies(it).length,
      like_count: this.likers(it).length,
      has_liked: this.likers(it).includes(viewer),
      created_at: it.created_at,
    }
  }

  /** A reply object (section 2.3), with the first page of its replies. */
  replyObject(it: Publication, viewer: User) {
    return {
      uuid: it.uuid,
      parent: it.parent?.uuid,
      author: it.author.uuid,
      content: it.content,
      from: it.from?.uuid ?? null,
      lock: it.locked,
      replies: this.replies(it)
        .slice(0, 5)
        .map((reply) => this.postObject(reply, viewer)),
    }
  }

  /** A user object in a list (section 2.2). */
  userObject(user: User, viewer: User) {
    const { follower_count: follow_count, ...author } = this.#author(user)
    return { ...author, follow_count, has_followed: this.following(viewer).includes(user) }
  }

  #parentObject(it: Publication) {
    const { uuid, deleted } = it
    if (deleted) return { uuid, author: null, content: null, created_at: null, deleted }
    return { uuid, author: this.#author(it.author), content: it.content, created_at: it.created_at, deleted }
  }

  #author(user: User) {
    const hash = createHash('sha256').update(user.email).digest('hex')
    return {
      uuid: user.uuid,
      username: user.username,
      display_name: user.displayName,
      avatar: `https://www.gravatar.com/avatar/${hash}?d=identicon`,
      badge: [],
      bio: user.bio,
      follower_count: this.followers(user).length,
      following_count: this.following(user).length,
      joined: user.joined,
    }
  }
}
