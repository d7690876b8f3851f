import type { Command } from '@commander-js/extra-typings'
import { type Config, ConfigError } from '../../config.ts'
import { createLog } from '../../log.ts'
import { jsonOption } from '../arguments.ts'
import { exitCodes } from '../failure.ts'
import { coloured, plain, printResult } from '../output.ts'
import { commandSettings, environmentNames } from '../settings.ts'
import { type Check, checksOf } from './check.ts'
import { checkNode } from './node-version.ts'
import { checkVariableNames } from './variables.ts'

const more = `
Checks Node.js, the configuration, the database (connection, privileges, migrations) and
the listen address, and changes no data. Each check reports ok, a warning or a problem.
If there is a problem, the exit code is 1.

With --json: {ok, checks: [{name, status, message, advice}…]}; advice is optional.

Examples:
  $ rookery doctor
  $ DATABASE_URL=postgres://rookery@127.0.0.1/rookery rookery doctor --json
`

/** `rookery doctor` */
export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check that the server can run')
    .description('Check that the server can run, and say how to fix what is wrong.')
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async () => {
      const checks = [checkNode(), ...checkVariableNames(environmentNames()), ...(await checkConfigured())]
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
    return [problem(error.message, 'Correct it: docs/operations.md lists every variable.')]
  }
  const { checkPort } = await import('./port.ts')
  return [ok('Every variable is valid.'), ...(await checkDatabase(config)), await checkPort(config)]
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
  const text = `${coloured(colours[status], status.padEnd(9))}${name.padEnd(15)}${plain(message)}`
  return advice === undefined ? text : `${text}\n${indent}${plain(advice)}`
}

function summary(checks: readonly Check[]): string {
  const count = (wanted: Check['status']) => checks.filter(({ status }) => status === wanted).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems + warnings === 0) return 'Everything is fine.'
  return `Problems: ${problems}. Warnings: ${warnings}.`
}
