import type { Scope } from '../../../src/engine/scopes.ts'
import { anyTime, anyUuid, type Version } from './answer.ts'
import type { BadBody } from './bad-bodies.ts'
import { posts } from './documented-shapes.ts'

/** An operation of sections 4.1 to 4.3 of the interface, as Ada calls it in the small network. */
export type Operation = {
  readonly name: string
  readonly method: string
  readonly version: Version
  /** The path for an id, and an id that exists. */
  readonly path: (id: string) => string
  readonly id?: string
  readonly body?: object
  /** The scopes required by this call, and those required for the other kind of publication. */
  readonly scopes: readonly Scope[]
  readonly otherScopes: readonly Scope[]
  readonly answer: unknown
  readonly link?: string
  /** Whether Ada has a second factor. */
  readonly hasSecondFactor?: true
  /** Whether it requires no token. */
  readonly isOpen?: true
  /** Whether only suspended people can do it. */
  readonly isOfSuspended?: true
  /** The id of the same kind by another author, and the id of a kind that the operation does not serve. */
  readonly anothers: readonly string[]
  readonly wrongKind: readonly string[]
  readonly badBodies: readonly BadBody[]
  /** The path of the page with this number, which is in the path or the query. */
  readonly page?: (page: string) => string
}

type Lists = 'otherScopes' | 'anothers' | 'wrongKind' | 'badBodies'

/** A row without its version, and with lists only where they are not empty. A list says where its page is, and its path is without it. */
export type Row = Omit<Operation, Lists | 'version'> &
  Partial<Pick<Operation, Lists>> & { readonly pages?: 'path' | 'query' }

/** What is the same of everything that is sent. */
export const sent = {
  uuid: anyUuid,
  content: 'Sent',
  reply_count: 0,
  like_count: 0,
  has_liked: false,
  created_at: anyTime,
}

/** A reply by Ada to her post, just after it was sent. */
export const sentReply = { ...posts.bobReply, ...sent, author: posts.adaPost.author, locked: true }
