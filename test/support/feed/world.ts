import fc from 'fast-check'
import { v7 as newId } from 'uuid'
import { z } from 'zod'
import { authorization } from '../rest/call.ts'

/** An account that writes, and follows the feed. */
export type Member = { readonly id: string; readonly token: string; readonly username: string }

/** A publication that somebody wrote, or tried to. */
export type Written = {
  readonly uuid: string
  readonly author: Member
  readonly parent?: string
  readonly quote?: string
  readonly root: string
}

const does = [
  ...[
    'post',
    'post',
    'reply',
    'reply',
    'reply',
    'mention',
    'quote',
    'quote',
    'detach',
    'edit',
    'edit',
    'lock',
    'warn',
    'delete',
    'delete',
    'profile',
  ],
  ...['like', 'like', 'like', 'unlike', 'unlike', 'repost', 'repost', 'repost', 'unrepost', 'read'],
  ...['follow', 'unfollow', 'block', 'unblock', 'mute', 'unmute'],
  ...['suspend', 'reinstate', 'reinstate', 'remove', 'rename'],
] as const

/** What a member does: `on` and `to` select a publication and an account among those that there are. */
export type Step = { readonly what: (typeof does)[number]; readonly on: number; readonly to: number }

/** How often relations between accounts change: they make clients read again, which hides what the feed lacks. */
const rare: ReadonlySet<Step['what']> = new Set(does.slice(does.indexOf('follow')))

/** What members do in rounds: for each round the steps of each member. In every second round, no client has a reason to read again. */
export function randomRounds(seed: number, size: { rounds: number; members: number; steps: number }) {
  const all = fc.constantFrom(...does)
  const calm = fc.constantFrom(...does.filter((what) => !rare.has(what)))
  const number = fc.nat(1_000)
  const stepsOf = (what: fc.Arbitrary<Step['what']>) =>
    fc.array(fc.record({ what, on: number, to: number }), { minLength: size.steps, maxLength: size.steps })
  const roundOf = (what: fc.Arbitrary<Step['what']>) =>
    fc.array(stepsOf(what), { minLength: size.members, maxLength: size.members })
  const [lively = [], quiet = []] = [all, calm].map((what, nth) =>
    fc.sample(roundOf(what), { seed: seed + nth, numRuns: size.rounds }),
  )
  return lively.map((round, nth) => (nth % 2 === 0 ? round : (quiet[nth] ?? round)))
}

const answer = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ message: z.string(), extensions: z.looseObject({ code: z.string() }) })).default([]),
})

/** What a server answered; `LOST` if none did. */
export type Reply = { readonly code: string; readonly data?: unknown; readonly message?: string | undefined }

/** Asks a server. */
export async function ask(origin: string, { token }: Member, query: string, variables: object = {}): Promise<Reply> {
  try {
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization(token) },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors } = answer.parse(await response.json())
    const [error] = errors
    return { code: error?.extensions.code ?? 'OK', data, message: error?.message }
  } catch (error) {
    // As fetch reports a connection that was refused or cut.
    if (error instanceof TypeError || error instanceof SyntaxError) return { code: 'LOST' }
    throw error
  }
}

/** How writes may end. The last three are for servers that are killed. */
const ends = new Set(
  'OK NOT_FOUND FORBIDDEN POST_LOCKED ACCOUNT_SUSPENDED UNAUTHENTICATED VALIDATION_FAILED LOST UNAVAILABLE OUTCOME_UNKNOWN'.split(
    ' ',
  ),
)

/** The accounts and what they have written. */
export class World {
  readonly members: readonly Member[]
  readonly moderator: Member
  readonly written: Written[] = []
  /** The accounts that a block was tried by or of. */
  readonly blocked = new Set<string>()
  readonly #origin: () => string
  /** Who mutes or unmutes somebody: no feed says that. */
  readonly #onMute: (member: Member) => void

  constructor(members: readonly Member[], moderator: Member, origin: () => string, onMute: (member: Member) => void) {
    this.members = members
    this.moderator = moderator
    this.#origin = origin
    this.#onMute = onMute
  }

  /** Sends a post, or a reply; either may quote something. */
  async publish(author: Member, content: string, parent?: Written, quote?: string): Promise<void> {
    const uuid = newId()
    const references = { ...(parent && { parent: parent.uuid }), ...(quote && { quote }) }
    this.written.push({ uuid, author, root: parent?.root ?? uuid, ...references })
    await this.#mutate(author, 'sendPost', { uuid, content, ...references })
  }

  /** Does a step of a member. */
  async take(member: Member, { what, on, to }: Step): Promise<void> {
    const { members, written } = this
    const publication = written[written.length - 1 - (on % Math.min(written.length, 20))]
    const own = written.filter(({ author }) => author === member)
    const mine = own[own.length - 1 - (on % Math.min(own.length, 5))]?.uuid ?? newId()
    const other = members[(members.indexOf(member) + 1 + (to % (members.length - 1))) % members.length] ?? member
    const quotesOfMine = written.filter(({ quote }) => own.some((it) => it.uuid === quote)).map((it) => it.uuid)
    const [object, uuid] = [publication?.uuid ?? newId(), other.id]
    const tags = [' #a', ' #b #a', ''][to % 3]
    const steps: Record<Step['what'], () => Promise<unknown>> = {
      post: () => this.publish(member, `Post ${to}${tags}`),
      reply: () => this.publish(member, `Reply ${to}${tags}`, publication),
      mention: () => this.publish(member, `@${other.username} ${to}`, on % 2 ? publication : undefined),
      quote: () => this.publish(member, `@${other.username} ${to}${tags}`, on % 3 ? undefined : publication, object),
      detach: () => this.#mutate(member, 'detachQuote', { uuid: quotesOfMine[on % quotesOfMine.length] ?? object }),
      edit: () => this.#mutate(member, 'updatePost', { uuid: mine, content: `@${other.username} edited ${to}${tags}` }),
      lock: () => this.#mutate(member, 'updatePost', { uuid: mine, locked: to % 2 === 0 }),
      delete: () => this.#mutate(member, 'deletePost', { uuid: mine }),
      profile: () => this.#mutate(member, 'updateProfile', { displayName: `Name ${to}` }),
      like: () => this.#mutate(member, 'setLike', { uuid: object, liked: true }),
      unlike: () => this.#mutate(member, 'setLike', { uuid: object, liked: false }),
      repost: () => this.#mutate(member, 'setRepost', { uuid: object, reposted: true }),
      unrepost: () => this.#mutate(member, 'setRepost', { uuid: object, reposted: false }),
      read: () => this.#mutate(member, 'markNotificationsRead', { upTo: '_____________________w' }),
      follow: () => this.#mutate(member, 'setFollow', { uuid, followed: true }),
      unfollow: () => this.#mutate(member, 'setFollow', { uuid, followed: false }),
      block: () => {
        this.blocked.add(member.id).add(uuid)
        return this.#mutate(member, 'setBlock', { uuid, blocked: true })
      },
      unblock: () => this.#mutate(member, 'setBlock', { uuid, blocked: false }),
      mute: () => this.#mute(member, uuid, true),
      unmute: () => this.#mute(member, uuid, false),
      suspend: () => this.#mutate(this.moderator, 'suspendUser', { uuid, reason: 'Spam' }),
      warn: () => this.#mutate(this.moderator, 'addWarning', { uuid: object, warning: `${to}`, reason: 'Spam' }),
      reinstate: () => this.#mutate(this.moderator, 'reinstateUser', { uuid }),
      remove: () => this.#mutate(this.moderator, 'removePublication', { uuid: object, reason: 'Spam' }),
      rename: () => this.#mutate(member, 'updateProfile', { username: `n${member.id.slice(-20).replaceAll('-', '')}` }),
    }
    await steps[what]()
  }

  async #mute(member: Member, uuid: string, muted: boolean): Promise<void> {
    await this.#mutate(member, 'setMute', { uuid, muted })
    this.#onMute(member)
  }

  async #mutate(member: Member, name: string, input: object): Promise<void> {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
    const source = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`
    const { code, message } = await ask(this.#origin(), member, source, { input })
    if (!ends.has(code)) throw new Error(`${name} ${JSON.stringify(input)} ends with ${code}: ${message}`)
  }
}
