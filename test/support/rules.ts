import { onTestFinished } from 'vitest'
import { visibility } from '../../src/reads/visibility.ts'

function replace(rules: typeof visibility): void {
  for (const model of Object.keys(visibility)) Reflect.deleteProperty(visibility, model)
  Object.assign(visibility, rules)
}

/** Sets what viewers may see, until the test has finished. What was compiled before keeps its rules. */
export function setRules(rules: typeof visibility): void {
  const before = { ...visibility }
  replace(rules)
  onTestFinished(() => replace(before))
}
