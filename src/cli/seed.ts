import type { Command } from '@commander-js/extra-typings'
import { checkSize, demoNetwork } from '../seed/seed-options.ts'
import { integer, jsonOption } from './arguments.ts'
import { printResult, showProgress } from './output.ts'
import { withDatabase } from './with-database.ts'

const count = integer(0, 5_000_000)

const more = `
Either everything is created or nothing. The accounts have no password; "rookery token
create ada" issues a token for the first one. The database must not have any accounts.

With --json: {users, posts, likes, follows, seed}

Examples:
  $ rookery seed
  $ rookery seed --users 500 --posts 5000 --seed 7
`

/** `rookery seed` */
export function addSeed(program: Command): void {
  program
    .command('seed')
    .summary('fill an empty database')
    .description('Fill an empty database with a generated network.')
    .option('--users <count>', 'number of accounts', count, demoNetwork.users)
    .option('--posts <count>', 'number of posts and replies', count, demoNetwork.posts)
    .option('--likes <count>', 'number of likes', count, demoNetwork.likes)
    .option('--follows <count>', 'number of follows', count, demoNetwork.follows)
    .option(
      '--seed <number>',
      'seed of the generator; equal seeds give equal networks',
      integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      demoNetwork.seed,
    )
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async ({ users, posts, likes, follows, seed: number }) => {
      const size = { users, posts, likes, follows, seed: number }
      // Checked first, so that an invalid size does not create a database.
      checkSize(size)
      const { seed } = await import('../seed/seed.ts')
      const fill = { ...size, now: new Date(), onProgress: showProgress }
      await withDatabase((database) => seed(database, fill), { create: true })
      printResult(size, () => `Seeded ${users} accounts, ${posts} posts, ${likes} likes, ${follows} follows.`)
    })
}
