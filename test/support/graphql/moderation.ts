import { z } from 'zod'
import { scopes } from '../../../src/features/base/scopes.ts'
import type { Answer, Person, TestApp } from '../app.ts'
import { mutate } from './mutate.ts'

/** Creates an account with a token that has every scope. */
export async function moderator(app: TestApp, username?: string): Promise<Person> {
  const person = await app.person(username)
  return { ...person, token: await app.token(person, scopes) }
}

/** Reports something for spam, or as `more` says. */
export function report(app: TestApp, person: Person, uuid: string, more: object = {}): Promise<Answer> {
  return mutate(app, person, 'report', { uuid, reason: 'SPAM', ...more }, 'report { uuid state createdAt }')
}

const reported = z.object({ report: z.object({ report: z.object({ uuid: z.uuid() }) }) })

/** Reports something and returns the UUID of the report. */
export async function reportOf(app: TestApp, person: Person, uuid: string, more: object = {}): Promise<string> {
  return reported.parse((await report(app, person, uuid, more)).data).report.report.uuid
}

const fields = 'action actorUuid actor { username } subjectUuid user { uuid } username reason'

/** The newest entries of the moderation log. */
export async function logOf(app: TestApp, { token }: Person, first: number): Promise<unknown> {
  const { data } = await app.graphql(token, `{ moderationLog(first: ${first}) { nodes { ${fields} } } }`)
  return z.object({ moderationLog: z.object({ nodes: z.array(z.unknown()) }) }).parse(data).moderationLog.nodes
}
