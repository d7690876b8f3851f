import { type Command, Option } from '@commander-js/extra-typings'
import type { EmailTokenKind } from '../engine/data/generated/prisma/enums.ts'
import { capitalized, inWords, relations } from '../features/base/relations.ts'
import { renameDays, usernameBounds, usernameKeptDays } from '../features/base/username.ts'
import { emailLinks } from '../features/mail/links.ts'
import { addCommand, addListCommand, reasonOption, username } from './command.ts'
import { labelled, minute, plain, print, printPage, write } from './output.ts'
import { passwordOption, printWithPassword, readNewPassword } from './password.ts'
import { publicUrlOf, settings } from './settings.ts'
import { withAccount, withDatabase } from './with-database.ts'

/** `rookery user export` */
function addExport(user: Command): void {
  addCommand(user, 'export', 'Print everything that belongs to an account as JSON Lines.', {
    more: `
The output is the same as that of GET /api/v1/export. The last line of a complete export has
the type "end". To resume an incomplete one, append what --after prints. "rookery user import"
imports the file.`,
    json: '{error} on stderr if it fails. The export itself is the same.',
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
function addImport(user: Command): void {
  addCommand(user, 'import', 'Import an export into a new or existing account.', {
    more: `
The command checks the whole file before it imports anything. It skips what already exists, so
you can repeat an interrupted import. Posts and replies keep their UUIDs and times. The objects
that they refer to must exist; users are found by UUID, or else by username. Whatever the API
would refuse is left out, such as replies to locked posts. Nobody is notified, and tokens are
not imported.`,
    json: `{uuid, username, password, imported, known, left, problems: [{line, problem}…]};
the password is null unless it was generated. imported, known (already existed) and left (left
out) count lines by type. problems lists the first 100.`,
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
        `Lines imported: ${total(report.imported)}. Already existed: ${total(report.known)}. Left out: ${total(report.left)}.`,
      ]
      await printWithPassword(shown, name, { uuid, username: name, password: shown, ...report }, text.join('\n'))
    })
}

/** Makes the link of an e-mail for an account. */
async function makeLink(username: string, kind: EmailTokenKind) {
  const { makeEmailLink } = await import('../features/accounts/administration.ts')
  const publicUrl = publicUrlOf(settings('warn'))
  return withAccount(username, (database, uuid) => makeEmailLink(database, uuid, kind, publicUrl))
}

/** Says of an account whether it is something, and whether that is new. */
const stateOf = (is: boolean, isNew: boolean) => (is ? (isNew ? 'now' : 'already') : isNew ? 'no longer' : 'not')

/** `rookery user` */
export function addUser(program: Command): void {
  const user = addCommand(program, 'user', 'Manage accounts.')

  addCommand(user, 'create', 'Create an account, with a generated password or one from stdin.', {
    more: 'This works even with SIGN_UP=closed, and with reserved usernames. To issue a token for the account, use "rookery token create".',
    json: '{uuid, username, password}; the password is null unless it was generated.',
    examples: [
      'rookery user create robin --email robin@example.org',
      'rookery user create robin --email robin@example.org --password-stdin < password.txt',
    ],
  })
    .argument('<username>', usernameBounds.words, username)
    .requiredOption('--email <address>', 'only the account itself sees it')
    .option('--name <text>', 'display name (default: the username)')
    .addOption(passwordOption())
    .action(async (username, { email, name, passwordStdin }) => {
      const { password, generated } = await readNewPassword(passwordStdin)
      const { addAccount } = await import('../features/accounts/administration.ts')
      const account = { username, email, password, displayName: name }
      const uuid = await withDatabase((database) => addAccount(database, account))
      const document = { uuid, username, password: generated }
      await printWithPassword(generated, username, document, `Created ${username}, ${uuid}.`)
    })

  const fields = 'uuid, username, displayName, joinedAt, suspendedAt, moderatorSince'
  addListCommand(user, 'List accounts', 'users', fields)
    .option('--suspended', 'list only suspended accounts')
    .option('--moderators', 'list only moderators')
    .action(async ({ limit, after, suspended = false, moderators = false }) => {
      const { listAccounts } = await import('../features/accounts/administration.ts')
      const only = { suspended, moderators }
      const page = await withDatabase((database) => listAccounts(database, { limit, after }, only))
      const options = `${suspended ? ' --suspended' : ''}${moderators ? ' --moderators' : ''}`
      await printPage('users', page, `user list${options} --limit ${limit}`, {
        UUID: ({ id }) => id,
        JOINED: ({ joinedAt }) => minute(joinedAt),
        SUSPENDED: ({ suspendedAt }) => minute(suspendedAt, 'no'),
        USERNAME: ({ username }) => username,
        NAME: ({ displayName }) => plain(displayName),
      })
    })

  addCommand(user, 'show', 'Show an account and its number of active tokens.', {
    json: `{uuid, username, displayName, email, emailVerified, bio, badges, followers,
following, joinedAt, invitedById, inviter, editedAt, suspendedAt, moderatorSince,
formerUsername: {username, leftAt, keptUntil}, hasPassword, hasSecondFactor, liveTokens}`,
  })
    .argument('<username>', 'the account', username)
    .action(async (username) => {
      const { accountDetails } = await import('../features/accounts/administration.ts')
      const account = await withDatabase((database) => accountDetails(database, username))
      const { id: uuid, followerCount: followers, followingCount: following, ...rest } = account
      const { formerUsername: former } = account
      const lines = {
        Username: account.username,
        Formerly: former ? `${former.username} (until ${minute(former.keptUntil)})` : '',
        UUID: uuid,
        Name: plain(account.displayName),
        'E-mail': `${plain(account.email)}${account.emailVerified ? '' : ' (not verified)'}`,
        Bio: plain(account.bio),
        Badges: plain(account.badges.join(', ')),
        Followers: followers,
        Following: following,
        Joined: minute(account.joinedAt),
        Inviter: account.inviter ?? account.invitedById ?? '',
        Suspended: minute(account.suspendedAt, 'no'),
        Moderator: minute(account.moderatorSince, 'no'),
        Password: account.hasPassword ? (account.hasSecondFactor ? 'yes, with a second factor' : 'yes') : 'none',
        Tokens: account.liveTokens,
      }
      await print({ uuid, ...rest, followers, following }, labelled(lines))
    })

  addCommand(user, 'rename', 'Give an account another username.', {
    more: `
The limit of one change in ${renameDays} days does not apply, and reserved usernames are free to give. The
old username stays reserved for ${usernameKeptDays} days, or until the next change: it still finds the account,
and only the owner can take it again.`,
    json: '{uuid, username}',
  })
    .argument('<username>', 'the account', username)
    .argument('<new>', usernameBounds.words, username)
    .action(async (username, renamed) => {
      const { renameAccount } = await import('../features/accounts/administration.ts')
      const uuid = await withAccount(username, async (database, uuid) => {
        await renameAccount(database, uuid, renamed)
        return uuid
      })
      await print({ uuid, username: renamed }, `${username} is now ${renamed}.`)
    })

  addCommand(user, 'reset-password', 'Set a new password: a generated one, or one from stdin.', {
    more: `
This revokes all tokens of the account. A running server rejects them within 5 seconds. With
--link, nothing changes until the owner sets a password with the link, which works once, for
${emailLinks.RESET.lifetime}.`,
    json: `{uuid, password, revokedTokens}; the password is null unless it was generated.
With --link: {uuid, email, link}.`,
  })
    .argument('<username>', 'the account', username)
    .addOption(passwordOption())
    .option('--link', 'instead, print a link that lets the owner set a password')
    .action(async (username, { passwordStdin, link }) => {
      if (link) {
        const made = await makeLink(username, 'RESET')
        return print(made, `Anyone who opens this link can set a new password for ${username}:\n${made.link}`)
      }
      const { password, generated } = await readNewPassword(passwordStdin)
      const { resetPassword } = await import('../features/accounts/administration.ts')
      const { uuid, revokedTokens } = await withAccount(username, async (database, uuid) => {
        return { uuid, revokedTokens: await resetPassword(database, uuid, password) }
      })
      const text = `Changed the password of ${username}. Tokens revoked: ${revokedTokens}.`
      await printWithPassword(generated, username, { uuid, password: generated, revokedTokens }, text)
    })

  addCommand(user, 'remove-second-factor', 'Remove the second factor of an account.', {
    more: `
For people who have lost their authenticator app and their recovery codes. Make sure that it is
them: from then on, the password is enough to sign in. Where SMTP_URL is set, the owner is told
by e-mail.`,
    json: '{uuid, changed}',
  })
    .argument('<username>', 'the account', username)
    .action(async (username) => {
      const { removeSecondFactorOf } = await import('../features/accounts/second-factor/setup.ts')
      const sendsMail = settings('warn').mail !== undefined
      const result = await withAccount(username, async (database, uuid) => {
        return { uuid, changed: await removeSecondFactorOf(database, uuid, sendsMail) }
      })
      await print(result, `${username} has ${result.changed ? 'no longer a' : 'no'} second factor.`)
    })

  addCommand(user, 'verify', 'Print a link that verifies the e-mail address of an account.', {
    more: `The link works once, for ${emailLinks.VERIFY.lifetime}. It begins with PUBLIC_URL if that is set.`,
    json: '{uuid, email, link}',
  })
    .argument('<username>', 'the account', username)
    .action(async (username) => {
      const made = await makeLink(username, 'VERIFY')
      await print(made, `Anyone who opens this link can verify ${made.email}:\n${made.link}`)
    })

  const hidden = `
A running server hides its profile, posts and replies from everybody but moderators, within 5
seconds. Its owner can sign in to read, export or delete it, and to appeal; everything else is
rejected with ACCOUNT_SUSPENDED and the reason. Its applications are refused. If it is already
suspended, nothing changes, and the first reason is kept.`
  const again = 'The account becomes visible, and its tokens and applications work again.'
  for (const [name, suspended, description, more] of [
    [
      'suspend',
      true,
      'Suspend an account: it is hidden, and its owner can only read, export or delete it, and appeal.',
      hidden,
    ],
    ['reinstate', false, 'End the suspension of an account.', again],
  ] as const) {
    addCommand(user, name, description, { more, json: '{uuid, changed}' })
      .argument('<username>', 'the account', username)
      .addOption(new Option(...reasonOption).makeOptionMandatory(suspended))
      .action(async (username, { reason }) => {
        const { setSuspended } = await import('../features/moderation/suspensions.ts')
        const sendsMail = settings('warn').mail !== undefined
        const result = await withAccount(username, async (database, uuid) => {
          return { uuid, changed: await setSuspended(database, 'operator', { uuid, reason }, suspended, sendsMail) }
        })
        await print(result, `${username} is ${stateOf(suspended, result.changed)} suspended.`)
      })
  }

  const scope = `
Within 5 seconds, the tokens of its sign-ins have the scope moderation.manage, which allows it to
read and close reports, suspend accounts, and remove posts and replies.`
  const ended = 'Its tokens lose the scope moderation.manage within 5 seconds.'
  for (const [name, moderates, description, more] of [
    ['promote', true, 'Make an account a moderator.', scope],
    ['demote', false, 'Make a moderator an ordinary account again.', ended],
  ] as const) {
    addCommand(user, name, description, { more, json: '{uuid, changed}' })
      .argument('<username>', 'the account', username)
      .action(async (username) => {
        const { setModerator } = await import('../features/moderation/moderation.ts')
        const result = await withAccount(username, async (database, uuid) => {
          return { uuid, changed: await setModerator(database, uuid, moderates) }
        })
        await print(result, `${username} is ${stateOf(moderates, result.changed)} a moderator.`)
      })
  }

  addExport(user)
  addImport(user)

  addCommand(user, 'delete', 'Delete an account and everything that it wrote.', {
    more: `
Erases the account with its posts and replies, ${inWords(relations.map(({ name }) => name.many))}, its
applications and tokens, and other accounts' relations to it, such as their follows. Other people's
replies stay, reports of the account are closed, and the moderation log records the deletion. The
username becomes free. This cannot be undone, so it requires --yes.
The account is hidden at once. Unless it was suspended before, the command takes at least 5
seconds. If it is interrupted, a server continues within 10 minutes.`,
    json: `{uuid, publications, ${relations.map(({ name }) => name.many).join(', ')}};
how many of each were erased.`,
  })
    .argument('<username>', 'the account', username)
    .option('--yes', 'confirm that the account will be deleted for good')
    .option(...reasonOption)
    .action(async (username, { yes, reason }, command) => {
      if (!yes) command.error('This cannot be undone: confirm it with --yes.')
      const { deleteAccount } = await import('../features/deletion/deletion.ts')
      const deleted = await withAccount(username, async (database, uuid) => {
        return { uuid, erased: await deleteAccount(database, uuid, reason) }
      })
      const { publications = 0, ...others } = deleted.erased
      const counts = Object.entries({ 'posts and replies': publications, ...others })
      const text = counts.map(([what, count]) => `${capitalized(what)}: ${count}.`)
      await print({ uuid: deleted.uuid, ...deleted.erased }, `Deleted ${username}. ${text.join(' ')}`)
    })
}
