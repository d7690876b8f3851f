import { capitalized, type Edge, wordsOf } from '../../src/domain/edges.ts'
import type { Answer, Person, TestApp } from './app.ts'
import { mutate } from './mutate.ts'

type Caller = Pick<Person, 'token'>

/** Toggles an edge of a person, and selects its `action`. */
export function toggleEdge(app: TestApp, person: Caller, { verb }: Edge, uuid: string): Promise<Answer> {
  return mutate(app, person, `toggle${capitalized(verb)}`, { uuid }, 'action')
}

/** Sets an edge of a person, and selects its `action`. */
export function setEdge(app: TestApp, person: Caller, edge: Edge, uuid: string, wanted = true): Promise<Answer> {
  return mutate(app, person, `set${capitalized(edge.verb)}`, { uuid, [wordsOf(edge).on.done]: wanted }, 'action')
}

/** The GraphQL field of an object that says whether the viewer has this edge to it. */
export function flagOf(edge: Edge): string {
  const { doing, done } = wordsOf(edge).on
  return edge.noun === 'user' ? `viewerIs${capitalized(doing)}` : `viewerHas${capitalized(done)}`
}
