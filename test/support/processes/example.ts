import { type Outcome, type Started, startProgram } from './program.ts'

type Name = 'timeline' | 'paging' | 'live' | 'rest' | 'bot' | 'agent' | 'connect'

/** Runs a built example to its end with exactly this environment. */
export function runExample(
  name: Name,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Outcome> {
  return startExample(name, env, args).ended
}

/** Starts a built example with exactly this environment. */
export function startExample(name: Name, env: Readonly<Record<string, string>>, args: readonly string[] = []): Started {
  const file = new URL(`../../../examples/dist/${name}.js`, import.meta.url).pathname
  return startProgram({ file, builtBy: 'npm run types' }, args, env)
}
