import type { Command } from '@commander-js/extra-typings'
import type { EmailTokenKind } from '../engine/data/generated/prisma/enums.ts'
import { capitalized, relations } from '../features/base/relations.ts'
import { renameDays, usernameKeptDays, usernameRule } from '../features/base/username.ts'
import { emailLinks } from '../features/mail/links.ts'
import { addCommand, addListCommand, reasonOption, username } from './command.ts'
import { addExport, addImport } from './export.ts'
import { labelled, minute, plain, print, printPage } from './output.ts'
import { passwordOption, printWithPassword, readNewPassword } from './password.ts'
import { publicUrlOf, settings } from './settings.ts'
import { withAccount, withDatabase } from './with-database.ts'

/** Makes the link of an e-mail for an account. */
async function makeLink(username: string, kind: EmailTokenKind) {
  const { makeEmailLink } = await import('../features/accounts/administration.ts')
  const publicUrl = publicUrlOf(settings('warn'))
  return withAccount(username, (database, uuid) => makeEmailLink(database, uuid, kind, publicUrl))
}

/** `rookery user` */
export function addUser(program: Command): void {
  const user = addCommand(program, 'user', 'Manage accounts.')

  addCommand(user, 'create', 'Create an account with a password from stdin or a generated one.', {
    more: 'Works even if SIGN_UP=closed. To issue a token for the account, use "rookery token create".',
    json: '{uuid, username, password}; the password is null unless it was generated.',
    examples: [
      'rookery user create robin --email robin@example.org',
      'rookery user create robin --email robin@example.org --password-stdin < password.txt',
    ],
  })
    .argument('<username>', usernameRule, username)
    .requiredOption('--email <address>', 'visible to the account only')
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
following, joinedAt, suspendedAt, moderatorSince, formerUsernames: [{username, leftAt, keptUntil}…],
hasPassword, liveTokens}`,
  })
    .argument('<username>', 'the account', username)
    .action(async (username) => {
      const { accountDetails } = await import('../features/accounts/administration.ts')
      const account = await withDatabase((database) => accountDetails(database, username))
      const { id: uuid, followerCount: followers, followingCount: following, ...rest } = account
      const lines = {
        Username: account.username,
        Formerly: account.formerUsernames
          .map(({ username, keptUntil }) => `${username} (until ${minute(keptUntil)})`)
          .join(', '),
        UUID: uuid,
        Name: plain(account.displayName),
        'E-mail': `${plain(account.email)}${account.emailVerified ? '' : ' (not verified)'}`,
        Bio: plain(account.bio),
        Badges: plain(account.badges.join(', ')),
        Followers: followers,
        Following: following,
        Joined: minute(account.joinedAt),
        Suspended: minute(account.suspendedAt, 'no'),
        Moderator: minute(account.moderatorSince, 'no'),
        Password: account.hasPassword ? 'yes' : 'none',
        Tokens: account.liveTokens,
      }
      await print({ uuid, ...rest, followers, following }, labelled(lines))
    })

  addCommand(user, 'rename', 'Give an account another username.', {
    more: `
The limit of one change in ${renameDays} days does not apply. The old username stays reserved for ${usernameKeptDays} days:
it still finds the account, and only the owner can take it again.`,
    json: '{uuid, username}',
  })
    .argument('<username>', 'the account', username)
    .argument('<new>', usernameRule, username)
    .action(async (username, renamed) => {
      const { renameAccount } = await import('../features/accounts/administration.ts')
      const uuid = await withAccount(username, async (database, uuid) => {
        await renameAccount(database, uuid, renamed)
        return uuid
      })
      await print({ uuid, username: renamed }, `${username} is now ${renamed}.`)
    })

  addCommand(user, 'reset-password', 'Set a new password, from stdin or a generated one.', {
    more: `
Revokes all tokens of the account. A running server rejects them within 5 seconds. With --link,
nothing changes until the owner opens the link, which works once, for ${emailLinks.RESET.lifetime}.`,
    json: `{uuid, password, revokedTokens}; the password is null unless it was generated.
With --link {uuid, email, link}.`,
  })
    .argument('<username>', 'the account', username)
    .addOption(passwordOption())
    .option('--link', 'print a link with which the owner sets a password instead')
    .action(async (username, { passwordStdin, link }) => {
      if (link) {
        const made = await makeLink(username, 'RESET')
        return print(made, `Whoever opens this link can set a new password for ${username}:\n${made.link}`)
      }
      const { password, generated } = await readNewPassword(passwordStdin)
      const { resetPassword } = await import('../features/accounts/administration.ts')
      const { uuid, revokedTokens } = await withAccount(username, async (database, uuid) => {
        return { uuid, revokedTokens: await resetPassword(database, uuid, password) }
      })
      const text = `Changed the password of ${username}. Tokens revoked: ${revokedTokens}.`
      await printWithPassword(generated, username, { uuid, password: generated, revokedTokens }, text)
    })

  addCommand(user, 'verify', 'Print a link that verifies the e-mail address of an account.', {
    more: `The link works once, for ${emailLinks.VERIFY.lifetime}. It begins with PUBLIC_URL, if that is set.`,
    json: '{uuid, email, link}',
  })
    .argument('<username>', 'the account', username)
    .action(async (username) => {
      const made = await makeLink(username, 'VERIFY')
      await print(made, `Whoever opens this link can verify ${made.email}:\n${made.link}`)
    })

  const visible = `
Its tokens get ACCOUNT_SUSPENDED, within 5 seconds from a running server. Its profile, posts
and replies stay visible.`
  const again = 'The account can sign in again, and the tokens that it had work again.'
  for (const [name, suspended, description, more] of [
    ['suspend', true, 'Suspend an account, so that it can neither sign in nor use its tokens.', visible],
    ['reinstate', false, 'Lift the suspension of an account.', again],
  ] as const) {
    addCommand(user, name, description, { more, json: '{uuid, changed}' })
      .argument('<username>', 'the account', username)
      .option(...reasonOption)
      .action(async (username, { reason }) => {
        const { setSuspended } = await import('../features/moderation/moderation.ts')
        const result = await withAccount(username, async (database, uuid) => {
          return { uuid, changed: await setSuspended(database, 'operator', { uuid, reason }, suspended) }
        })
        await print(result, `${username} is ${result.changed ? 'now' : 'already'} ${suspended ? '' : 'not '}suspended.`)
      })
  }

  const scope = `
Within 5 seconds, its tokens of sign-ins have the scope moderation.manage, to read and close reports,
suspend accounts, and remove posts and replies.`
  const ended = 'A running server takes the scope moderation.manage from its tokens within 5 seconds.'
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
        const [changed, unchanged] = moderates ? ['now', 'already'] : ['no longer', 'not']
        await print(result, `${username} is ${result.changed ? changed : unchanged} a moderator.`)
      })
  }

  addExport(user)
  addImport(user)

  addCommand(user, 'delete', 'Delete an account with everything that it wrote.', {
    more: `
Erases the account with its posts and replies, likes, bookmarks, follows, blocks and mutes, its
applications and tokens, and what others follow, block or mute of it. Replies of others stay, reports
of it are closed, and the moderation log says that it was deleted. The username becomes free. This
cannot be undone, so it requires --yes.
It takes at least 5 seconds, unless the account was suspended before. The account is hidden at once.
If the command is interrupted, a server continues within 10 minutes.`,
    json: `{uuid, publications, ${relations.map(({ table }) => table).join(', ')}}, the numbers of what was erased`,
  })
    .argument('<username>', 'the account', username)
    .option('--yes', 'confirm that the account is to be deleted for good')
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
