import type { Command } from '@commander-js/extra-typings'
import { addCommand, username } from './command.ts'
import { plain, write } from './output.ts'
import { passwordOption, printWithPassword, readNewPassword } from './password.ts'
import { withAccount, withDatabase } from './with-database.ts'

/** `rookery user export` */
export function addExport(user: Command): void {
  addCommand(user, 'export', 'Print everything that belongs to an account as JSON Lines.', {
    more: `
The same as GET /api/v1/export. Only a complete export ends with a line of the type "end".
To resume one, append what --after prints. "rookery user import" imports it.`,
    json: '{error} on stderr if it fails; the export is the same.',
    examples: ['rookery user export robin > robin.jsonl'],
  })
    .argument('<username>', 'the account', username)
    .option('--after <cursor>', 'resume after the line with this cursor')
    .action(async (username, { after }) => {
      const { exportPages } = await import('../features/transfer/export.ts')
      await withAccount(username, async (database, uuid) => {
        for await (const page of exportPages(uuid, after, (read) => database.write.read(read))) await write(page)
      })
    })
}

/** `rookery user import` */
export function addImport(user: Command): void {
  addCommand(user, 'import', 'Import an export into an account, which is created if it does not exist.', {
    more: `
The whole file is checked first. What exists is skipped, so an interrupted import can be repeated.
Posts and replies keep their uuids and times. What they refer to must exist; users are found by
uuid, or else by username. What the API would refuse is left out, such as replies to locked posts.
Nobody is notified. Tokens are not imported.`,
    json: `{uuid, username, password, imported, known, left, problems: [{line, problem}…]};
the password is null unless it was generated. imported, known (existed before) and left (out)
are numbers of lines by type. problems lists the first 100.`,
    examples: ['rookery user import robin.jsonl', 'rookery user import robin.jsonl --username robin2'],
  })
    .argument('<file>', 'the file of an export')
    .option('--username <name>', 'the account (default: a new one with the username of the export)', username)
    .addOption(passwordOption())
    .action(async (file, { username, passwordStdin }) => {
      const { readExport } = await import('../features/transfer/export-file.ts')
      const { accountOfImport, importLines } = await import('../features/transfer/import.ts')
      const read = await readExport(file)
      const { password, generated } = await readNewPassword(passwordStdin)
      const { account, report } = await withDatabase(async (database) => {
        const account = await accountOfImport(database, read, username, password)
        return { account, report: await importLines(database, account.uuid, read) }
      })
      const shown = account.isNew ? generated : null
      const { uuid, username: name } = account
      const total = (counts: Readonly<Partial<Record<string, number>>>) =>
        Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0)
      const text = [
        ...report.problems.map(({ line, problem }) => `Line ${line}: ${plain(problem)}`),
        `${account.isNew ? 'Created' : 'Completed'} ${name}, ${uuid}.`,
        `Lines imported: ${total(report.imported)}. Existed before: ${total(report.known)}. Left out: ${total(report.left)}.`,
      ]
      await printWithPassword(shown, name, { uuid, username: name, password: shown, ...report }, text.join('\n'))
    })
}
