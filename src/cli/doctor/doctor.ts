import type { Command } from '@commander-js/extra-typings'
import { type Config, ConfigError } from '../../config.ts'
import { createLog } from '../../log.ts'
import { jsonOption } from '../arguments.ts'
import { exitCodes } from '../failure.ts'
import { coloured, plain, printResult } from '../output.ts'
import { commandSettings } from '../settings.ts'
import { type Check, checksOf } from './check.ts'
import { checkNode } from './node-version.ts'

const more = `
It changes nothing. It checks Node.js, the configuration, the database (whether it can be
reached and used, what the user may do, the migrations) and the address to listen on.
Each check is ok, a warning or a problem. With a problem the exit code is 1.

With --json: {ok, checks: [{name, status, message, advice}…]}; advice may be missing.

Examples:
  $ rookery doctor
  $ DATABASE_URL=postgres://rookery@127.0.0.1/rookery rookery doctor --json
`

/** `rookery doctor` */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check what the server needs')
    .description('Check what the server needs, and say what to do about what is missing.')
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async () => {
      const checks = [checkNode(), ...(await checkConfigured())]
      const problems = checks.filter(({ status }) => status === 'problem').length
      if (problems > 0) process.exitCode = exitCodes.failed
      printResult({ ok: problems === 0, checks }, () => [...checks.map(line), '', summary(checks)].join('\n'))
    })
}

async function checkConfigured(): Promise<Check[]> {
  const { ok, problem } = checksOf('Configuration')
  let config: Config
  try {
    config = commandSettings()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [problem(error.message, 'Set it right: the README has all variables.')]
  }
  const { checkPort } = await import('./port.ts')
  return [ok('Every variable is right.'), ...(await checkDatabase(config)), await checkPort(config)]
}

async function checkDatabase(config: Config): Promise<Check[]> {
  const { databaseOptions } = await import('../../data/database.ts')
  const options = databaseOptions(config, 'command')
  if (options.kind === 'server') {
    const { checkServer } = await import('./server-database.ts')
    return checkServer(options.url, options.poolSize, createLog(config.logLevel))
  }
  const { checkEmbedded } = await import('./embedded-database.ts')
  return checkEmbedded(options.folder, createLog(config.logLevel))
}

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const

function line({ name, status, message, advice }: Check): string {
  const indent = ' '.repeat(24)
  const told = `${coloured(colours[status], status.padEnd(9))}${name.padEnd(15)}${plain(message)}`
  return advice === undefined ? told : `${told}\n${indent}${plain(advice)}`
}

function summary(checks: readonly Check[]): string {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return 'All is well.'
  return `Problems: ${problems}. Warnings: ${warnings}.`
}
