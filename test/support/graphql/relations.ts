import { capitalized, type Relation } from '../../../src/features/base/relations.ts'
import type { Answer, Person, TestApp } from '../app.ts'
import { mutate } from './mutate.ts'

type Caller = Pick<Person, 'token'>

/** Toggles a relation of a person, and selects its `action`. */
export function toggleRelation(app: TestApp, person: Caller, { verb }: Relation, uuid: string): Promise<Answer> {
  return mutate(app, person, `toggle${capitalized(verb)}`, { uuid }, 'action')
}

/** Sets a relation of a person, and selects its `action`. */
export function setRelation(
  app: TestApp,
  person: Caller,
  relation: Relation,
  uuid: string,
  wanted = true,
): Promise<Answer> {
  return mutate(app, person, `set${capitalized(relation.verb)}`, { uuid, [relation.on.done]: wanted }, 'action')
}
