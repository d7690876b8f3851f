import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder of Rookery's own package. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A Node.js that servers can be run with. */
export type Runtime = { readonly path: string; readonly version: string; readonly major: number }

function runtimeAt(path: string): Runtime {
  const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim()
  return { path, version, major: Number(/^v(\d+)/.exec(version)?.[1]) }
}

/**
 * The Node.js that runs this, and the one that npm runs with when that is of another major version. `npm run` prefers the
 * Node.js that this package installs, where there is one for the platform, so the other one is the machine's own.
 */
export function findRuntimes(env: NodeJS.ProcessEnv): readonly Runtime[] {
  const own = runtimeAt(process.execPath)
  const npms = env.npm_node_execpath ? runtimeAt(env.npm_node_execpath) : own
  return npms.major === own.major ? [own] : [own, npms]
}

/** The newest of them. */
export function newestOf(runtimes: readonly Runtime[]): Runtime {
  const [newest] = [...runtimes].sort((one, other) => other.major - one.major)
  if (!newest) throw new RangeError('There is no Node.js to run servers with.')
  return newest
}
