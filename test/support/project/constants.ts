import { sourceFiles, textOf } from './source-files.ts'

const expression = String.raw`[\d_]+(?: \*\*? [\d_]+)*`
const source = sourceFiles('src').map(textOf).join('\n')

/** The value of products and powers of integers, such as `64 * 2 ** 20`. */
function evaluate(text: string): number {
  const factors = text.replaceAll('_', '').split(' * ')
  return factors.map((factor) => factor.split(' ** ').map(Number).reduce(Math.pow)).reduce((one, other) => one * other)
}

/** The value of a numeric constant or property of `src/`, by name. Throws if it is not declared, or with different values. */
export function constant(name: string): number {
  const declarations = source.matchAll(new RegExp(String.raw`\b${name}(?: =|:) (${expression})(?=[,\s])`, 'g'))
  const [value, ...others] = new Set([...declarations].map(([, text = '']) => evaluate(text)))
  if (value === undefined) throw new Error(`src/ does not declare the number ${name}.`)
  if (others.length > 0) throw new Error(`src/ declares ${name} with different values.`)
  return value
}
