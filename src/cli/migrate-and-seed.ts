import type { Command } from '@commander-js/extra-typings'
import { counted } from '../engine/counted.ts'
import { checkSize, completeSize, demoNetwork } from '../features/demo/seed-options.ts'
import { addCommand, integer } from './command.ts'
import { print, showProgress } from './output.ts'
import { withDatabase } from './with-database.ts'

/** `rookery migrate` */
export function addMigrate(program: Command): void {
  addCommand(program, 'migrate', 'Apply pending migrations to the database.', {
    more: `
Applies all pending migrations, or none if one fails. The server does the same when it starts.
The command creates the embedded database if it does not exist.`,
    json: '{applied: [name…]}',
  }).action(async () => {
    const applied = await withDatabase(async ({ applied }) => applied, { create: true })
    await print({ applied }, [...applied.map((name) => `Applied ${name}.`), 'The database is up to date.'].join('\n'))
  })
}

const count = integer(0, 5_000_000)
const anyInteger = integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

/** `rookery seed` */
export function addSeed(program: Command): void {
  addCommand(program, 'seed', 'Fill an empty database with a generated network.', {
    more: `
The database must not have any accounts. The command creates everything, or nothing if it fails.
The accounts have no password: "rookery token create ada" issues a token for the first one.
Numbers that you do not give keep the proportions of the demo network, which has
${demoNetwork.users} accounts, ${demoNetwork.posts} posts, ${demoNetwork.likes} likes and ${demoNetwork.follows} follows.`,
    json: '{users, posts, likes, follows, seed}',
  })
    .option('--users <count>', 'number of accounts', count)
    .option('--posts <count>', 'number of posts and replies', count)
    .option('--likes <count>', 'number of likes', count)
    .option('--follows <count>', 'number of follows', count)
    .option('--seed <number>', 'the same seed generates the same network', anyInteger, demoNetwork.seed)
    .action(async (given) => {
      const size = completeSize(given)
      const { users, posts, likes, follows } = size
      // Checked first, so that an invalid size does not create a database.
      checkSize(size)
      const { seed } = await import('../features/demo/seed.ts')
      const fill = { ...size, now: new Date(), onProgress: showProgress }
      await withDatabase((database) => seed(database, fill), { create: true })
      await print(
        size,
        `Seeded ${counted(users, 'account')}, ${counted(posts, 'post')}, ${counted(likes, 'like')} and ${counted(follows, 'follow')}.`,
      )
    })
}
