import { variableNames } from '../../config.ts'
import { type Check, checksOf } from './check.ts'

/** The shortest name that is compared letter by letter. Shorter ones, such as HOST, are close to unrelated variables. */
const shortest = 6

const letters = (name: string) =>
  name
    .toUpperCase()
    .replace(/^ROOKERY_/, '')
    .replace(/[^A-Z0-9]/g, '')

/** Whether two texts are equal, or differ in one added, missing or different character. */
function isNear(a: string, b: string): boolean {
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  const [restOfA, restOfB] = [a.slice(same), b.slice(same)]
  return restOfA.slice(1) === restOfB.slice(1) || restOfA.slice(1) === restOfB || restOfA === restOfB.slice(1)
}

/** The variable that a name is probably meant to be. */
function meant(name: string): string | undefined {
  if (variableNames.includes(name)) return undefined
  const written = letters(name)
  return variableNames.find((variable) => {
    const wanted = letters(variable)
    return written === wanted || (wanted.length >= shortest && isNear(written, wanted))
  })
}

/** Warns of each environment variable whose name is nearly that of a variable of Rookery, and that therefore has no effect. */
export function checkVariableNames(names: readonly string[]): Check[] {
  const { warning } = checksOf('Variables')
  return names.flatMap((name) => {
    const variable = meant(name)
    return variable === undefined ? [] : [warning(`${name} has no effect.`, `Did you mean ${variable}?`)]
  })
}
