import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/**
 * The servers of one network, the tokens of its accounts, and the publications and users to act on. The nth token is that of the
 * nth user.
 */
export type Target = {
  readonly origins: () => readonly string[]
  readonly tokens: readonly string[]
  readonly publications: readonly string[]
  readonly users: readonly string[]
  readonly usernames: readonly string[]
  /** The tokens of accounts that follow all users and only read. */
  readonly readers: readonly string[]
  /** An account that follows all users and likes all publications, and can be deleted. */
  readonly fan: string
  /** Accounts that follow all users and keep copies of their timelines. */
  readonly keepers: readonly { readonly id: string; readonly token: string }[]
}

/** How often a write was acknowledged, and how often its outcome is unknown. */
export type Outcomes = { acknowledged: number; unknown: number }

/** The history of all writes. */
export type Ledger = {
  /** The outcomes of each write, which is named by `nameOf`. */
  readonly writes: Map<string, Outcomes>
  /** The number of responses by code: `OK` for a success, `LOST` for a broken connection to the service. */
  readonly codes: Record<string, number>
}

/**
 * Who did what to which object: of what is sent, its UUID, or its text if the UUID is unknown. A toggle has one name in both
 * directions.
 */
export const nameOf = (actor: string, verb: string, object: string) => `${actor} ${verb} ${object}`

/** Counts a response by its code. */
export function countCode(codes: Record<string, number>, code: string): void {
  codes[code] = (codes[code] ?? 0) + 1
}

/** Counts the outcome of a write. */
export function note({ writes }: Ledger, name: string, { code }: Pick<Reply, 'code'>): void {
  const outcomes = writes.get(name) ?? { acknowledged: 0, unknown: 0 }
  if (code === 'OK') outcomes.acknowledged += 1
  if (isUnknown(code)) outcomes.unknown += 1
  writes.set(name, outcomes)
}

type Reply = { readonly code: string; readonly body?: unknown; readonly uuid?: string | undefined }

const failed = z.union([
  z.object({ errors: z.tuple([z.object({ extensions: z.object({ code: z.string() }) })], z.unknown()) }),
  z.object({ code: z.string() }),
])

/** Sends a request. */
export async function call(
  origin: string,
  token: string,
  method: string,
  path: string,
  content?: object,
): Promise<Reply> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(content && { 'content-type': 'application/json' }) },
      ...(content && { body: JSON.stringify(content) }),
    })
    const text = await response.text()
    const body: unknown = JSON.parse(text)
    const { data: fault } = failed.safeParse(body)
    if (fault === undefined) return { code: 'OK', body, uuid: /"uuid":"([^"]+)"/.exec(text)?.[1] }
    return { code: 'errors' in fault ? fault.errors[0].extensions.code : fault.code }
  } catch {
    return { code: 'LOST' }
  }
}

/** Whether a write that failed may have been applied. */
const isUnknown = (code: string) => code === 'OUTCOME_UNKNOWN' || code === 'LOST'

/** A user other than the one of the nth connection. */
function someoneElse({ users }: Target, nth: number, round: number): string {
  return users[(nth + 1 + (round % (users.length - 1))) % users.length] ?? ''
}

/** Reads and writes over both APIs on this many connections until it is stopped. */
export async function runLoad(target: Target, ledger: Ledger, connections: number, stop: AbortSignal): Promise<void> {
  let count = 0

  const connection = async (nth: number) => {
    const author = nth % target.tokens.length
    const [token = '', me = '', post = ''] = [target.tokens[author], target.users[author], target.publications[author]]
    for (let round = nth; !stop.aborted; round += 1) {
      const origins = target.origins()
      const origin = origins[round % origins.length] ?? ''
      const anyPost = target.publications[round % target.publications.length] ?? ''
      const rest = (method: string, path: string, body?: object) => call(origin, token, method, `/api/v1${path}`, body)
      const graphql = (query: string, variables: object) =>
        call(origin, token, 'POST', '/graphql', { query, variables })
      const write = async (verb: string, object: string, reply: Promise<Reply>) => {
        note(ledger, nameOf(me, verb, object), await reply)
        return reply
      }
      const mentioned = target.usernames[round % target.usernames.length] ?? ''
      const send = async (how: (content: string) => Promise<Reply>) => {
        count += 1
        const content = `fault ${count} @${mentioned}`
        const reply = await how(content)
        note(ledger, nameOf(me, 'sends', reply.uuid ?? content), reply)
        return reply
      }
      const sendPost = () => send((content) => rest('POST', '/post', { content }))
      const like = (uuid: string) =>
        graphql('mutation ($uuid: UUID!) { setLike(input: { uuid: $uuid, liked: true }) { action } }', { uuid })
      const edit = (uuid: string) =>
        write('edits', uuid, rest('PATCH', `/post/${uuid}`, { content: `edited ${round}` }))
      const other = someoneElse(target, nth, round)
      const actions: readonly (() => Promise<Reply>)[] = [
        sendPost,
        () => write('likes', anyPost, rest('POST', `/post/${anyPost}/like`)),
        () => graphql('{ homeTimeline(first: 10) { nodes { content replies(first: 2) { nodes { content } } } } }', {}),
        () =>
          send((content) =>
            graphql('mutation ($input: SendReplyInput!) { sendReply(input: $input) { reply { uuid } } }', {
              input: { parent: anyPost, content },
            }),
          ),
        () => write('follows', other, rest('POST', `/user/${other}/follow`)),
        () => rest('GET', `/post/${anyPost}`),
        () => rest('POST', '/notifications/read', { up_to: '_____________________w' }),
        () => edit(post),
        async () => {
          const made = await sendPost()
          return made.uuid ? write('deletes', made.uuid, rest('DELETE', `/post/${made.uuid}`)) : made
        },
        async () => {
          const made = await sendPost()
          if (!made.uuid) return made
          countCode(ledger.codes, (await write('likes', made.uuid, like(made.uuid))).code)
          return edit(made.uuid)
        },
      ]
      const reply = await (actions[round % actions.length] ?? sendPost)()
      countCode(ledger.codes, reply.code)
      if (reply.code !== 'OK') await sleep(50)
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, nth) => connection(nth)))
}
