import type { Command } from '@commander-js/extra-typings'
import { type Config, ConfigError } from '../../config.ts'
import { addCommand } from '../command.ts'
import { plain, print, styled } from '../output.ts'
import { environmentNames, settings } from '../settings.ts'
import { type Check, check, checkNode, type Status } from './check.ts'
import { checkPorts, checkVariableNames } from './environment.ts'

/** `rookery doctor` */
export function addDoctor(program: Command): void {
  addCommand(program, 'doctor', 'Check that the server can run, and say how to fix what is wrong.', {
    more: `
Checks Node.js, the configuration, the database (connection, privileges, migrations, jobs),
the ports to listen on, and the mail server, and changes no data. Each check reports ok, a warning or a problem.
If there is a problem, the exit code is 1.`,
    json: '{ok, checks: [{name, status, message, advice}…]}; advice is optional.',
  }).action(async () => {
    const checks = [checkNode(), ...checkVariableNames(environmentNames()), ...(await checkConfigured())]
    const count = (wanted: Status) => checks.filter(({ status }) => status === wanted).length
    const [problems, warnings] = [count('problem'), count('warning')]
    if (problems > 0) process.exitCode = 1
    const isFine = problems + warnings === 0
    const summary = isFine ? 'Everything is fine.' : `Problems: ${problems}. Warnings: ${warnings}.`
    await print({ ok: problems === 0, checks }, [...checks.map(line), '', summary].join('\n'))
  })
}

async function checkConfigured(): Promise<Check[]> {
  let config: Config
  try {
    config = settings('warn')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'Correct it: docs/operations.md lists every variable.'
    return [check('problem', 'Configuration', error.message, advice)]
  }
  const [{ checkDatabase }, { checkMail }] = await Promise.all([import('./database.ts'), import('./mail.ts')])
  const valid = check('ok', 'Configuration', 'Every variable is valid.')
  return [valid, ...(await checkDatabase(config)), ...(await checkPorts(config)), ...(await checkMail(config))]
}

const styles = { ok: 'green', warning: 'yellow', problem: 'red' } as const

function line({ name, status, message, advice }: Check): string {
  const text = `${styled(styles[status], status.padEnd(9))}${name.padEnd(15)}${plain(message)}`
  return advice === undefined ? text : `${text}\n${' '.repeat(24)}${plain(advice)}`
}
