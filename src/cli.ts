#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander'
import { ConfigError, readConfig } from './config.ts'
import { type Database, databaseOptions, openDatabase } from './data/database.ts'
import { DatabaseError } from './data/database-error.ts'
import { daysFromNow, issueToken } from './domain/access-tokens.ts'
import { findAccount } from './domain/accounts.ts'
import { seed } from './domain/seed/seed.ts'
import { demoNetwork } from './domain/seed/seed-options.ts'
import { notFound, Refusal } from './errors.ts'
import { createLog, type Log } from './log.ts'
import { printedOpenApi } from './rest/openapi/printed.ts'
import { printedSchema } from './schema/schema.ts'
import { isScope, type Scope, scopes } from './scopes.ts'
import { serve } from './server/serve.ts'
import { welcome } from './server/welcome.ts'

const program = new Command('rookery')
  .description(
    'A self-hosted social network that is used only through its API. Settings come from the environment: see the README.',
  )
  .showHelpAfterError()

/** Does something with the database that the environment names, and closes it. */
async function withDatabase<T>(action: (database: Database, log: Log) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  const database = await openDatabase(databaseOptions(config), log)
  try {
    return await action(database, log)
  } finally {
    await database.close()
  }
}

function scopeList(text: string): Scope[] {
  const named = text.split(',').map((scope) => scope.trim())
  const known = named.filter(isScope)
  if (known.length < named.length) throw new InvalidArgumentError(`Scopes are ${scopes.join(', ')}.`)
  return known
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It has to be a whole number.')
  return Number(text)
}

/** Draws how far something has got, where somebody watches. */
function showProgress(done: number, total: number, what: string): void {
  if (!process.stderr.isTTY) return
  const filled = Math.round((30 * done) / total)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(30 - filled)}`
  process.stderr.write(`\r${bar} ${Math.floor((100 * done) / total)} % ${what.padEnd(12)}${done >= total ? '\n' : ''}`)
}

program
  .command('serve')
  .description('Serve GraphQL and REST until SIGINT or SIGTERM.')
  .action(async () => {
    const config = readConfig(process.env)
    const log = createLog(config.logLevel)
    const running = await serve(config, log)
    const stop = () => {
      // A second signal ends the process at once.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, stop)
      log.info('stopping')
      running.stop().catch(fail)
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
    // Last, so that whoever waits for it may stop the process at once.
    process.stdout.write(`${welcome(running)}\n`)
  })

program
  .command('migrate')
  .description('Bring the database up to this version.')
  .action(() => withDatabase(async () => void process.stdout.write('The database is up to date.\n')))

program
  .command('seed')
  .description('Fill an empty database with a made-up network.')
  .option('--users <count>', 'accounts', wholeNumber, demoNetwork.users)
  .option('--posts <count>', 'posts and replies', wholeNumber, demoNetwork.posts)
  .option('--likes <count>', 'likes', wholeNumber, demoNetwork.likes)
  .option('--follows <count>', 'follows', wholeNumber, demoNetwork.follows)
  .option('--seed <number>', 'the same one gives the same network', wholeNumber, demoNetwork.seed)
  .action((size: typeof demoNetwork) =>
    withDatabase(async (database) => {
      await seed(database, { ...size, now: new Date(), onProgress: showProgress })
      process.stdout.write(
        `Seeded ${size.users} accounts, ${size.posts} posts, ${size.likes} likes, ${size.follows} follows.\n`,
      )
    }),
  )

program
  .command('token')
  .description('Issue a bearer token and print it.')
  .requiredOption('--user <username>', 'whose token it is')
  .option('--scopes <list>', `what it permits, separated by commas: ${scopes.join(', ')}`, scopeList, [...scopes])
  .option('--name <name>', 'what it is for', 'Command line')
  .option('--days <count>', 'how long it lives', wholeNumber, 90)
  .action(({ user, scopes, name, days }: { user: string; scopes: Scope[]; name: string; days: number }) =>
    withDatabase(async ({ write }) => {
      const userId = await findAccount(write, user)
      if (userId === undefined) throw notFound('user')
      const request = { userId, name, scopes, expiresAt: daysFromNow(days) }
      const { token } = await write.$transaction((transaction) => issueToken(transaction, request))
      process.stdout.write(`${token}\n`)
    }),
  )

program
  .command('schema')
  .description('Print the GraphQL schema.')
  .option('--openapi', 'the OpenAPI document of the REST interface instead')
  .action(async ({ openapi }: { openapi?: true }) => {
    process.stdout.write(openapi ? printedOpenApi() : await printedSchema())
  })

function fail(error: unknown): void {
  const isExpected = error instanceof ConfigError || error instanceof DatabaseError || error instanceof Refusal
  process.stderr.write(isExpected ? `${error.message}\n` : `${error instanceof Error ? error.stack : error}\n`)
  process.exitCode = 1
}

program.parseAsync().catch(fail)
