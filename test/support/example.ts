import { type Outcome, startProgram } from './program.ts'

/** Runs one of the built examples to its end, with nothing in its environment but this. */
export function runExample(
  name: 'timeline' | 'paging' | 'rest',
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Outcome> {
  const file = new URL(`../../examples/dist/${name}.js`, import.meta.url).pathname
  return startProgram({ file, builtBy: 'npm run examples' }, args, env).ended
}
