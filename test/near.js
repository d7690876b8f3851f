import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The words of a file's name, in the singular. */
const words = (file) =>
  basename(file)
    .split('.')[0]
    .split(/[-_]/)
    .map((word) => word.replace(/s$/, ''))

/** The test files that import a source file, share a word with it, or mirror its folder below a layer; if there are none, those of its layer. */
export function testsNear(file) {
  const [, layer = '', ...inner] = file.split('/')
  const own = [...words(file), ...words(inner.at(-2) ?? '')]
  const mirror = inner.length > 1 ? join(layer, ...inner.slice(0, -1), '/') : undefined
  const tests = readdirSync('test', { recursive: true }).filter((path) => path.endsWith('.test.ts'))
  const isNear = (path) => words(path).some((word) => own.includes(word)) || (mirror && path.startsWith(mirror))
  const imports = (path) => readFileSync(join('test', path), 'utf8').includes(`/${file}'`)
  const near = tests.filter((path) => isNear(path) || imports(path)).map((path) => join('test', path))
  const folder = join('test', layer)
  return near.length > 0 || !existsSync(folder) ? near : [folder]
}

// `npm run test:near -- src/features/timelines/threads.ts`
if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const near = [...new Set(process.argv.slice(2).flatMap(testsNear))]
  console.log(near.join('\n'))
  const { status } = spawnSync('npx', ['vitest', 'run', '--project=fast', '--passWithNoTests', ...near], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
}
