import type { Command } from '@commander-js/extra-typings'
import { checkSize, demoNetwork } from '../domain/seed/seed-options.ts'
import { jsonOption, wholeNumber } from './arguments.ts'
import { printResult, showProgress } from './output.ts'
import { withDatabase } from './with-database.ts'

const count = wholeNumber(0, 5_000_000)

const more = `
All of it is there afterwards, or nothing. Its accounts have no password: "rookery token
create ada" gives a token of the first one. A database that has accounts is refused.

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
    .description('Fill an empty database with a made-up network.')
    .option('--users <count>', 'accounts', count, demoNetwork.users)
    .option('--posts <count>', 'posts and replies', count, demoNetwork.posts)
    .option('--likes <count>', 'likes', count, demoNetwork.likes)
    .option('--follows <count>', 'follows', count, demoNetwork.follows)
    .option(
      '--seed <number>',
      'the same one gives the same network',
      wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      demoNetwork.seed,
    )
    .addOption(jsonOption())
    .addHelpText('after', more)
    .action(async ({ users, posts, likes, follows, seed: number }) => {
      const size = { users, posts, likes, follows, seed: number }
      // Before there is a database: a wrong size makes none.
      checkSize(size)
      const { seed } = await import('../domain/seed/seed.ts')
      const fill = { ...size, now: new Date(), onProgress: showProgress }
      await withDatabase((database) => seed(database, fill), { mayBeMade: true })
      printResult(size, () => `Seeded ${users} accounts, ${posts} posts, ${likes} likes, ${follows} follows.`)
    })
}
