import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** The targets of the load: servers of one network, the tokens of accounts, and the publications and users to act on. */
export type Target = {
  readonly origins: () => readonly string[]
  readonly tokens: readonly string[]
  readonly publications: readonly string[]
  readonly users: readonly string[]
}

/** The outcome of a write: acknowledged, refused or unknown. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown'

/** A record of all writes and their outcomes. */
export type Ledger = {
  /** The outcome of each text that was sent as a post or a reply; each is sent once. */
  readonly sent: Map<string, Outcome>
  /** The uuids of posts whose deletion was acknowledged. */
  readonly deleted: Set<string>
  /** The outcomes of one like and one edit of each post sent for this purpose, by UUID. */
  readonly changed: Map<string, { readonly liked: Outcome; readonly edited: Outcome }>
  /** The number of responses by code: `OK` for a success, `LOST` for a broken connection to the service. */
  readonly codes: Record<string, number>
}

/** The text of a post after it was edited for the ledger. */
export const editedText = 'edited once'

type Reply = { readonly code: string; readonly body: unknown }

const failed = z.union([
  z.object({ errors: z.tuple([z.object({ extensions: z.object({ code: z.string() }) })]) }),
  z.object({ code: z.string() }),
])
const uuidOf = z.object({ uuid: z.string() })

async function call(origin: string, token: string, method: string, path: string, content?: object): Promise<Reply> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(content && { 'content-type': 'application/json' }) },
      ...(content && { body: JSON.stringify(content) }),
    })
    const body: unknown = await response.json()
    const { data: fault } = failed.safeParse(body)
    if (fault === undefined) return { code: 'OK', body }
    return { code: 'errors' in fault ? fault.errors[0].extensions.code : fault.code, body }
  } catch {
    return { code: 'LOST', body: undefined }
  }
}

function outcomeOf(code: string): Outcome {
  if (code === 'OK') return 'acknowledged'
  return code === 'OUTCOME_UNKNOWN' || code === 'LOST' ? 'unknown' : 'refused'
}

/** A user other than the one of the nth connection. */
function someoneElse({ users }: Target, nth: number, round: number): string {
  return users[(nth + 1 + (round % (users.length - 1))) % users.length] ?? ''
}

/** Reads and writes over both APIs on this many connections until it is stopped. */
export async function runLoad(target: Target, connections: number, stop: AbortSignal): Promise<Ledger> {
  const ledger: Ledger = { sent: new Map(), deleted: new Set(), changed: new Map(), codes: {} }
  let count = 0

  const note = ({ code }: Reply) => {
    ledger.codes[code] = (ledger.codes[code] ?? 0) + 1
  }

  const connection = async (nth: number) => {
    const token = target.tokens[nth % target.tokens.length] ?? ''
    for (let round = nth; !stop.aborted; round += 1) {
      const origins = target.origins()
      const origin = origins[round % origins.length] ?? ''
      const pick = <T>(list: readonly T[]) => list[round % list.length]
      const rest = (method: string, path: string, body?: object) => call(origin, token, method, `/api/v1${path}`, body)
      const graphql = (query: string, variables: object) =>
        call(origin, token, 'POST', '/graphql', { query, variables })
      const send = async (how: (content: string) => Promise<Reply>) => {
        count += 1
        const content = `fault ${count}`
        const reply = await how(content)
        ledger.sent.set(content, outcomeOf(reply.code))
        return reply
      }
      const actions: readonly (() => Promise<Reply>)[] = [
        () => send((content) => rest('POST', '/post', { content })),
        () => rest('POST', `/post/${pick(target.publications)}/like`),
        () => graphql('{ homeTimeline(first: 10) { nodes { content replies(first: 2) { nodes { content } } } } }', {}),
        () =>
          send((content) =>
            graphql('mutation ($input: SendReplyInput!) { sendReply(input: $input) { reply { uuid } } }', {
              input: { parent: pick(target.publications), content },
            }),
          ),
        () => rest('POST', `/user/${someoneElse(target, nth, round)}/follow`),
        () => rest('GET', `/post/${pick(target.publications)}`),
        () => rest('PATCH', `/post/${target.publications[nth % target.tokens.length]}`, { content: `edited ${round}` }),
        async () => {
          const made = await rest('POST', '/post', { content: 'to be deleted' })
          if (made.code !== 'OK') return made
          const { uuid } = uuidOf.parse(made.body)
          const reply = await rest('DELETE', `/post/${uuid}`)
          if (reply.code === 'OK') ledger.deleted.add(uuid)
          return reply
        },
        async () => {
          const made = await rest('POST', '/post', { content: 'to be liked and edited' })
          if (made.code !== 'OK') return made
          const { uuid } = uuidOf.parse(made.body)
          const like = await graphql(
            'mutation ($uuid: UUID!) { setLike(input: { uuid: $uuid, liked: true }) { action } }',
            { uuid },
          )
          note(like)
          const edit = await rest('PATCH', `/post/${uuid}`, { content: editedText })
          ledger.changed.set(uuid, { liked: outcomeOf(like.code), edited: outcomeOf(edit.code) })
          return edit
        },
      ]
      const reply = await (actions[round % actions.length] ?? actions[0])?.()
      if (reply) note(reply)
      if (reply?.code !== 'OK') await sleep(50)
    }
  }

  await Promise.all(Array.from({ length: connections }, (_, nth) => connection(nth)))
  return ledger
}
