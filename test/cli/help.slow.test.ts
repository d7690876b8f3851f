import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../support/processes/rookery-command.ts'
import { rookeryProgram, runRookery } from '../support/processes/rookery-process.ts'

const groups = {
  user: [
    'create',
    'list',
    'show',
    'rename',
    'reset-password',
    'remove-second-factor',
    'verify',
    'suspend',
    'reinstate',
    'promote',
    'demote',
    'export',
    'import',
    'delete',
  ],
  token: ['create', 'list', 'revoke'],
  application: ['list', 'refuse', 'readmit'],
  authorization: ['list', 'revoke'],
  post: ['delete', 'warn'],
  report: ['list', 'show', 'close'],
  appeal: ['list', 'show', 'accept', 'reject'],
  applicant: ['list', 'approve', 'reject'],
  invitation: ['create', 'list', 'revoke'],
  documents: ['add', 'list', 'remove'],
}
const singles = ['serve', 'migrate', 'doctor', 'log', 'seed', 'schema']
const leaves = [
  ...singles.map((name) => [name]),
  ...Object.entries(groups).flatMap(([group, names]) => names.map((name) => [group, name])),
]
/** The commands that a help lists. */
const namesIn = (help: string) => [...help.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)].map(([, name]) => name).sort()
const fileOf = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')

/** The help of a command. */
async function helpOf(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand([...words, '--help'], {})
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

describe('the command without a database', { timeout: 120_000 }, () => {
  test('prints the schema, the OpenAPI document, and the version of its package', async () => {
    const { version }: { version: string } = JSON.parse(await fileOf('package.json'))
    for (const [args, stdout] of [
      [['schema'], await fileOf('schema.graphql')],
      [['schema', '--openapi'], await fileOf('docs/openapi.json')],
      [['--version'], `${version}\n`],
    ] as const)
      expect(await runCommand(args, {})).toEqual({ code: 0, stdout, stderr: '' })
  })

  test('prints a help with all commands, examples and exit codes', async () => {
    const help = await runRookery(['--help'], {})
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(namesIn(help.stdout)).toEqual([...singles, ...Object.keys(groups), 'help'].sort())
    for (const code of [0, 1, 2, 3, 4]) expect(help.stdout).toMatch(new RegExp(`^ +${code} +\\w`, 'm'))
    expect(help.stdout).toContain('$ rookery serve')
    expect(help.stdout.split('\n').filter((line) => line.length > 90)).toEqual([])
  })

  test('lists the subcommands of a group, also as an error without one', async () => {
    for (const [group, names] of Object.entries(groups))
      expect(namesIn(await helpOf([group]))).toEqual([...names, 'help'].sort())
    expect(await runRookery(['user'], {})).toEqual({ code: 2, stdout: '', stderr: await helpOf(['user']) })
  })

  test.each(leaves.map((words) => [words.join(' '), words] as const))('describes %s', async (name, words) => {
    const help = await helpOf(words)
    expect(help).toMatch(new RegExp(`^Usage: rookery ${name}\\b`))
    expect(help.includes('--json  ')).toBe(help.includes('With --json: {'))
  })

  test('marks options that are required', async () => {
    expect(await helpOf(['user', 'create'])).toMatch(/--email <address> +only the account itself sees it \(required\)/)
  })

  test('is documented in full in docs/operate.md', async () => {
    const [, section = ''] = /^## Commands\n(.*?)^#/ms.exec(await fileOf('docs/operate.md')) ?? []
    const lists = section.match(/^- .*$/gm) ?? []
    const commands = lists.flatMap((list) => [...list.matchAll(/`(.*?)`/g)].map(([, words = '']) => words))
    expect(commands.sort()).toEqual(leaves.map((words) => words.join(' ')).sort())
  })

  test('ignores a reader that closes the pipe early', async () => {
    const child = spawn(process.execPath, [rookeryProgram, 'schema'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    await once(child, 'close')
    expect({ code: child.exitCode, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
