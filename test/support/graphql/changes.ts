import { vi } from 'vitest'
import { z } from 'zod'
import type { Answer, Person, TestApp } from '../app.ts'

const change = z.object({
  cursor: z.string(),
  kind: z.string(),
  at: z.iso.datetime(),
  uuid: z.uuid(),
  actorUuid: z.uuid(),
  actor: z.object({ username: z.string() }).nullable(),
  publication: z.object({ content: z.string() }).nullable(),
  user: z.object({ username: z.string() }).nullable(),
  changesNotifications: z.boolean(),
})
const answer = z.object({
  changes: z.object({
    nodes: z.array(change),
    pageInfo: z.object({ endCursor: z.string(), hasNextPage: z.boolean() }),
  }),
})

/** A change of the feed as the tests read it. */
export type Change = z.infer<typeof change>

const document = `query ($of: ChangeFilter!, $after: String, $first: Int) {
  changes(of: $of, after: $after, first: $first) {
    nodes { cursor kind at uuid actorUuid actor { username } publication { content } user { username } changesNotifications }
    pageInfo { endCursor hasNextPage }
  }
}`

/** Asks for one page of changes. */
export function askForChanges(app: TestApp, { token }: Person, variables: Record<string, unknown>): Promise<Answer> {
  return app.graphql(token, document, variables)
}

/** One page of changes. Fails if the response has errors. */
export async function pageOfChanges(app: TestApp, viewer: Person, variables: Record<string, unknown>) {
  const { data, errors } = await askForChanges(app, viewer, variables)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  return answer.parse(data).changes
}

/** The position of everything that can be read now. */
export async function changeCursor(app: TestApp, { token }: Person): Promise<string> {
  const { data } = await app.graphql(token, '{ changeCursor }')
  return z.object({ changeCursor: z.string() }).parse(data).changeCursor
}

/** The position after everything that was written before, once no transaction holds it back: those of other databases do, too. */
export async function settledCursor(app: TestApp, viewer: Person): Promise<string> {
  await untilSettled(app)
  return changeCursor(app, viewer)
}

/** Waits until readers may see everything that was written before. */
export async function untilSettled({ database }: TestApp): Promise<void> {
  const isSettled = async () => {
    const [row] = await database.runReserved<{ settled: string }>(
      'select ((select max(id::text) from changes) < change_horizon()::text)::text as settled',
      [],
    )
    if (row?.settled !== 'true') throw new Error('a transaction is still open')
  }
  await vi.waitFor(isSettled, { timeout: 20_000, interval: 10 })
}

/** All changes after a cursor, once everything that was written before can be read. */
export async function changesAfter(app: TestApp, viewer: Person, of: object, after: string): Promise<Change[]> {
  await untilSettled(app)
  const found: Change[] = []
  for (let from = after, isMore = true; isMore; ) {
    const { nodes, pageInfo } = await pageOfChanges(app, viewer, { of, after: from, first: 3 })
    found.push(...nodes)
    from = pageInfo.endCursor
    isMore = pageInfo.hasNextPage
  }
  return found
}

/** Changes in short: by whom, what, and the content or the user. */
export function inShort(changes: readonly Change[]): string[] {
  return changes.map(
    ({ kind, actor, publication, user }) =>
      `${actor?.username ?? 'nobody'} ${kind} ${publication?.content ?? user?.username ?? 'nothing'}`,
  )
}
