import type { Command } from '@commander-js/extra-typings'
import { isLoopback } from '../engine/http/origin.ts'
import { type Config, ConfigError, variableNames } from '../server/config.ts'
import { type Check, check, checkNode, type Status } from './check.ts'
import { addCommand } from './command.ts'
import { plain, print, styled } from './output.ts'
import { environmentNames, settings } from './settings.ts'

/** `rookery doctor` */
export function addDoctor(program: Command): void {
  addCommand(program, 'doctor', 'Check that the server can run, and explain how to fix any problems.', {
    more: `
Checks Node.js, the configuration, the public URL, the database (connection, privileges,
migrations, jobs), Redis and the mail server. It changes no data. Each check reports ok, a
warning or a problem. If there is a problem, the exit code is 1.`,
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

const letters = (name: string) => name.toUpperCase().replace(/^ROOKERY_|[^A-Z0-9]/g, '')

/**
 * Warns of each environment variable that has no effect because only its case, its underscores or a prefix differ from a
 * variable of Rookery.
 */
function checkVariableNames(names: readonly string[]): Check[] {
  return names
    .filter((name) => !variableNames.includes(name))
    .flatMap((name) => {
      const meant = variableNames.find((variable) => letters(variable) === letters(name))
      return meant ? [check('warning', 'Variables', `${name} has no effect.`, `Did you mean ${meant}?`)] : []
    })
}

async function checkConfigured(): Promise<Check[]> {
  let config: Config
  try {
    config = settings('warn')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const advice = 'Correct the variable. docs/operate.md lists all variables.'
    return [check('problem', 'Configuration', error.message, advice)]
  }
  const { checkDatabase } = await import('./doctor-database.ts')
  const checks = [check('ok', 'Configuration', 'Every variable is valid.'), checkSecretsKey(config)]
  for (const find of [checkRules, checkPublicUrl, checkDatabase, checkRedis, checkMail])
    checks.push(...(await find(config)))
  return checks
}

/** Checks that the rules of the server can be read, if there are any. */
async function checkRules({ rulesFile }: Config): Promise<Check[]> {
  if (rulesFile === undefined) return []
  const { readRules } = await import('../server/rules-file.ts')
  try {
    await readRules(rulesFile)
    return [check('ok', 'Rules', `They are read from ${rulesFile}.`)]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [check('problem', 'Rules', error.message, 'Correct RULES_FILE, or the file.')]
  }
}

/** Says whether accounts can have a second factor. */
function checkSecretsKey({ secretsKey }: Config): Check {
  const who = secretsKey === undefined ? 'is not set, so nobody' : 'is set, so everybody'
  return check('ok', 'Second factors', `SECRETS_KEY ${who} can set up a second factor.`)
}

/** Checks that what people send to the public URL is encrypted. */
function checkPublicUrl({ publicUrl }: Config): Check[] {
  if (publicUrl === undefined) return []
  const { protocol, hostname } = new URL(publicUrl)
  if (protocol === 'https:' || isLoopback(hostname)) return [check('ok', 'Public URL', `People use ${publicUrl}.`)]
  const message = `${publicUrl} does not use TLS: anyone on the network can read passwords and tokens.`
  return [
    check(
      'warning',
      'Public URL',
      message,
      'Put a reverse proxy with a certificate in front of it, as docs/deploy.md shows.',
    ),
  ]
}

/** Checks that Redis counts, if there is one. */
async function checkRedis({ redisUrl }: Config): Promise<Check[]> {
  if (redisUrl === undefined) return []
  try {
    const { inspectRedis } = await import('../engine/data/limiters.ts')
    const policy = await inspectRedis(redisUrl)
    if (policy === undefined) return [check('ok', 'Redis', 'It counts rate limits for all processes.')]
    const message = `With maxmemory-policy ${policy}, Redis drops the counts of rate limits when its memory is full.`
    return [
      check(
        'warning',
        'Redis',
        message,
        'Run CONFIG SET maxmemory-policy noeviction, and set it in the configuration file of Redis.',
      ),
    ]
  } catch (error) {
    const { messageOf } = await import('../engine/data/database-error.ts')
    const advice = 'Until it works, each process counts rate limits on its own. Check REDIS_URL and the logs of Redis.'
    return [check('warning', 'Redis', `REDIS_URL: ${messageOf(error)}.`, advice)]
  }
}

/** Checks that the mail server can be reached, if there is one. */
async function checkMail({ mail, siteName: name }: Config): Promise<Check[]> {
  if (!mail) return []
  const { MailError, Mailer } = await import('../features/mail/mailer.ts')
  try {
    const mailer = new Mailer({ ...mail, name })
    await mailer.check()
    const utf8 = (await mailer.offersUtf8())
      ? 'offers SMTPUTF8'
      : 'does not offer SMTPUTF8, so addresses with other than ASCII characters get no e-mail'
    return [check('ok', 'E-mail', `The mail server accepts the connection and ${utf8}; e-mails are from ${mail.from}.`)]
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    const advice = 'E-mails are queued until it works. Check SMTP_URL and the logs of the mail server.'
    return [check('warning', 'E-mail', `SMTP_URL: ${error.message}.`, advice)]
  }
}

const styles = { ok: 'green', warning: 'yellow', problem: 'red' } as const

function line({ name, status, message, advice }: Check): string {
  const text = `${styled(styles[status], status.padEnd(9))}${name.padEnd(16)}${plain(message)}`
  return advice === undefined ? text : `${text}\n${' '.repeat(25)}${plain(advice)}`
}
