import { type Outcome, startProgram } from './program.ts'

/** Runs a built example to its end with exactly this environment. */
export function runExample(
  name: 'timeline' | 'paging' | 'rest',
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Outcome> {
  const file = new URL(`../../examples/dist/${name}.js`, import.meta.url).pathname
  return startProgram({ file, builtBy: 'npm run examples' }, args, env).ended
}
