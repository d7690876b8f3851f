import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { testsNear } from '../near.js'
import { mutations } from './mutations.js'

// Makes one mistake at a time in the working tree, and reports which tests find it: those near the file, or else the fast tests, or else,
// with --all, the slow ones; with --near, only the first. Arguments select mutations by their file.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, near: { type: 'boolean' } },
})

// Tests that hang find a mistake, too.
const options = { stdio: ['ignore', 'ignore', 'inherit'], timeout: 900_000 }
const run = (command, ...args) => spawnSync(command, args, options).status === 0
const fail = (project, ...files) =>
  !run('npx', 'vitest', 'run', '--bail=1', '--passWithNoTests', `--project=${project}`, ...files)

/** Which tests find the mistake that is in the working tree. */
function foundBy(file) {
  // What does not compile needs no test.
  if (!run('npm', 'run', '--silent', 'build')) throw new Error(`${file} does not build`)
  const near = testsNear(file)
  if (near.length > 0 && fail('fast', ...near)) return 'near'
  if (values.near) return undefined
  if (fail('fast')) return 'fast'
  return values.all && fail('slow') ? 'slow' : undefined
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

let missed = 0
for (const { file, from, to, mistake } of mutations) {
  if (positionals.length > 0 && !positionals.includes(file)) continue
  const original = readFileSync(file, 'utf8')
  const count = original.split(from).length - 1
  if (count !== 1) throw new Error(`${file} contains this ${count} times: ${from}`)
  const restore = () => writeFileSync(file, original)
  process.once('exit', restore)
  writeFileSync(
    file,
    original.replace(from, () => to),
  )
  const found = foundBy(file)
  restore()
  process.off('exit', restore)
  if (!found) missed += 1
  console.log(`${found ?? 'MISSED'}: ${mistake} (${file})`)
}
console.log(`${missed} missed`)
process.exitCode = missed > 0 ? 1 : 0
