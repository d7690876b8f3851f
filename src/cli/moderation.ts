import { Argument, type Command, Option } from '@commander-js/extra-typings'
import { isUuid } from '../engine/text/uuids.ts'
import { webClient } from '../features/applications/oauth/web-client.ts'
import { reasonBounds, warningBounds } from '../features/base/bounds.ts'
import { lengthOf } from '../features/base/input-rules.ts'
import { addCommand, addListCommand, mostUuids, nextUuid, reasonOption, username, uuid } from './command.ts'
import { labelled, minute, plain, print, printPage } from './output.ts'
import { settings } from './settings.ts'
import { withAccount, withDatabase } from './with-database.ts'

/** `rookery post` */
export function addPost(program: Command): void {
  const post = addCommand(program, 'post', 'Moderate posts and replies.')
  addCommand(post, 'delete', 'Delete posts and replies by UUID.', {
    more: `
Erases the content and the likes of posts and replies, as if their authors had deleted them.
Replies to them stay. If one of the UUIDs is unknown, nothing is deleted.`,
    json: '{deleted}, the number of deleted posts and replies.',
  })
    .addArgument(new Argument('<uuids...>', `the UUIDs of posts and replies, ${mostUuids}`).argParser(nextUuid))
    .option(...reasonOption)
    .action(async (uuids: string[], { reason }) => {
      const { removePublications } = await import('../features/moderation/moderation.ts')
      const deleted = new Set(uuids).size
      await withDatabase((database) =>
        removePublications(database, 'operator', { uuids, reason }, async () => undefined),
      )
      await print({ deleted }, `Posts and replies deleted: ${deleted}.`)
    })

  addCommand(post, 'warn', 'Give a post or a reply a warning.', {
    more: `
Clients show it before the text. It takes the place of the warning that there may be.`,
    json: '{changed}',
  })
    .argument('<uuid>', 'the UUID of the post or reply', uuid)
    .argument('<warning>', `the warning: ${lengthOf(warningBounds)}`)
    .option(...reasonOption)
    .action(async (uuid, warning, { reason }) => {
      const { addWarning } = await import('../features/moderation/moderation.ts')
      const changed = await withDatabase((database) => addWarning(database, 'operator', { uuid, warning, reason }))
      await print({ changed }, `${uuid} ${changed ? 'now' : 'already'} has this warning.`)
    })
}

/** `rookery applicant` */
export function addApplicant(program: Command): void {
  const applicant = addCommand(program, 'applicant', 'Approve or reject accounts that wait, with SIGN_UP=approval.')

  const fields = 'uuid, since, username, email, reason'
  addListCommand(applicant, 'List the accounts that wait', 'applicants', fields).action(async ({ limit, after }) => {
    const { listPendingAccounts } = await import('../features/approval/approval.ts')
    const page = await withDatabase((database) => listPendingAccounts(database, { limit, after }))
    await printPage('applicants', page, `applicant list --limit ${limit}`, {
      UUID: ({ id }) => id,
      SINCE: ({ since }) => minute(since),
      USERNAME: ({ username }) => username,
      'E-MAIL': ({ email }) => plain(email),
      REASON: ({ reason }) => plain(reason),
    })
  })

  addCommand(applicant, 'approve', 'Approve an account: everybody sees it, and it can write.', {
    more: 'Its owner gets an e-mail, if the server sends any.',
    json: '{uuid, changed}',
  })
    .argument('<username>', 'the account', username)
    .action(async (username) => {
      const { approveAccount } = await import('../features/approval/approval.ts')
      const sendsMail = settings('warn').mail !== undefined
      const result = await withAccount(username, async (database, uuid) => {
        return { uuid, changed: await approveAccount(database, 'operator', { uuid, sendsMail }) }
      })
      await print(result, `${username} is ${result.changed ? 'now' : 'already'} approved.`)
    })

  addCommand(applicant, 'reject', 'Reject an account, and erase it.', {
    more: 'Its owner gets an e-mail with the reason, if the server sends any. A running server erases the account.',
    json: '{uuid}',
  })
    .argument('<username>', 'the account', username)
    .requiredOption('--reason <text>', `why, for its owner and the moderation log: ${lengthOf(reasonBounds)}`)
    .action(async (username, { reason }) => {
      const { rejectAccount } = await import('../features/approval/approval.ts')
      const sendsMail = settings('warn').mail !== undefined
      const uuid = await withAccount(username, async (database, uuid) => {
        await rejectAccount(database, 'operator', { uuid, reason, sendsMail }, async () => undefined)
        return uuid
      })
      await print({ uuid }, `Rejected ${username}.`)
    })
}

/** `rookery report` */
export function addReport(program: Command): void {
  const report = addCommand(program, 'report', 'Handle reports of users, posts and replies.')

  const fields = 'uuid, createdAt, reason, subjectId, userId, username'
  addListCommand(report, 'List open reports', 'reports', fields)
    .option('--closed', 'list closed reports instead')
    .action(async ({ limit, after, closed = false }) => {
      const { listReports } = await import('../features/moderation/reports.ts')
      const state = closed ? 'CLOSED' : 'OPEN'
      const page = await withDatabase((database) => listReports(database, { limit, after }, state))
      await printPage('reports', page, `report list${closed ? ' --closed' : ''} --limit ${limit}`, {
        UUID: ({ id }) => id,
        REPORTED: ({ createdAt }) => minute(createdAt),
        REASON: ({ reason }) => reason.toLowerCase(),
        WHAT: ({ subjectId, userId }) => (subjectId === userId ? 'account' : 'publication'),
        USERNAME: ({ username }) => username,
      })
    })

  addCommand(report, 'show', 'Show a report, with a copy of the reported content.', {
    json: `{uuid, reporter, subjectId, userId, username, displayName, content, reason, comment,
createdAt, state, closedAt, closedBy, note}`,
  })
    .argument('<uuid>', 'the UUID of the report', uuid)
    .action(async (id) => {
      const { reportDetails } = await import('../features/moderation/reports.ts')
      const { id: uuid, reporterId: _, ...details } = await withDatabase((database) => reportDetails(database, id))
      const isOfUser = details.subjectId === details.userId
      const lines = {
        Report: `${uuid}, ${details.state.toLowerCase()}`,
        Reported: minute(details.createdAt),
        By: details.reporter ?? 'a deleted account',
        Reason: details.reason.toLowerCase(),
        Comment: plain(details.comment ?? ''),
        User: `${details.username}, ${details.userId}`,
        Name: plain(details.displayName),
        ...(isOfUser ? {} : { Post: details.subjectId }),
        [isOfUser ? 'Bio' : 'Content']: plain(details.content),
        Closed: minute(details.closedAt, 'no'),
        Note: plain(details.note ?? ''),
      }
      await print({ uuid, ...details }, labelled(lines))
    })

  addCommand(report, 'close', 'Close a report.', { json: '{uuid}' })
    .argument('<uuid>', 'the UUID of the report', uuid)
    .option('--note <text>', `what was done about it: ${lengthOf(reasonBounds)}`)
    .action(async (uuid, { note }) => {
      const { closeReport } = await import('../features/moderation/moderation.ts')
      await withDatabase((database) => closeReport(database, 'operator', { uuid, reason: note }))
      await print({ uuid }, `Closed report ${uuid}.`)
    })
}

/** The states of appeals that are answered. */
const answers = ['accepted', 'rejected'] as const

/** `rookery appeal` */
export function addAppeal(program: Command): void {
  const appeal = addCommand(program, 'appeal', 'Answer appeals against suspensions.')

  addListCommand(appeal, 'List open appeals', 'appeals', 'uuid, createdAt, userId, username')
    .addOption(
      new Option('--state <state>', 'list appeals in this state').choices(['open', ...answers]).default('open'),
    )
    .action(async ({ limit, after, state }) => {
      const { listAppeals } = await import('../features/moderation/appeals.ts')
      const states = { open: 'OPEN', accepted: 'ACCEPTED', rejected: 'REJECTED' } as const
      const page = await withDatabase((database) => listAppeals(database, { limit, after }, states[state]))
      await printPage('appeals', page, `appeal list --state ${state} --limit ${limit}`, {
        UUID: ({ id }) => id,
        SENT: ({ createdAt }) => minute(createdAt),
        USERNAME: ({ username }) => username,
      })
    })

  addCommand(appeal, 'show', 'Show an appeal.', {
    json: '{uuid, userId, text, createdAt, state, answeredAt, answeredBy, answer, username}',
  })
    .argument('<uuid>', 'the UUID of the appeal', uuid)
    .action(async (id) => {
      const { appealDetails } = await import('../features/moderation/appeals.ts')
      const { id: uuid, ...details } = await withDatabase((database) => appealDetails(database, id))
      const lines = {
        Appeal: `${uuid}, ${details.state.toLowerCase()}`,
        Sent: minute(details.createdAt),
        User: `${details.username}, ${details.userId}`,
        Text: plain(details.text),
        Answered: minute(details.answeredAt, 'no'),
        Answer: plain(details.answer ?? ''),
      }
      await print({ uuid, ...details }, labelled(lines))
    })

  for (const [name, accept, description] of [
    ['accept', true, 'Accept an appeal, which ends the suspension.'],
    ['reject', false, 'Reject an appeal: the account stays suspended.'],
  ] as const)
    addCommand(appeal, name, description, { json: '{uuid}' })
      .argument('<uuid>', 'the UUID of the appeal', uuid)
      .requiredOption('--answer <text>', `the answer, which the person reads: ${lengthOf(reasonBounds)}`)
      .action(async (uuid, { answer }) => {
        const { answerAppeal } = await import('../features/moderation/suspensions.ts')
        const sendsMail = settings('warn').mail !== undefined
        await withDatabase((database) => answerAppeal(database, 'operator', { uuid, accept, answer }, sendsMail))
        await print({ uuid }, `${accept ? 'Accepted' : 'Rejected'} appeal ${uuid}.`)
      })
}

/** Who vouches for an application. */
const voucherOf = ({ clientId, owner, host }: { clientId: string; owner: string | null; host: string | null }) =>
  clientId === webClient.id ? 'this server' : (owner ?? host ?? 'nobody')

/** `rookery application` */
export function addApplication(program: Command): void {
  const application = addCommand(program, 'application', 'List applications, refuse them, or readmit them.')

  const fields = 'uuid, name, clientId, owner, host, createdAt, lastUsedAt, refused'
  addListCommand(application, 'List all applications', 'applications', fields).action(async ({ limit, after }) => {
    const { listApplications } = await import('../features/applications/clients.ts')
    const page = await withDatabase((database) => listApplications(database, { limit, after }))
    await printPage('applications', page, `application list --limit ${limit}`, {
      UUID: ({ id }) => id,
      CREATED: ({ createdAt }) => minute(createdAt),
      'LAST USED': ({ lastUsedAt }) => minute(lastUsedAt),
      STATE: ({ refused }) => (refused ? 'refused' : 'admitted'),
      BY: voucherOf,
      NAME: ({ name }) => plain(name),
    })
  })

  const lost = `
It can neither connect to accounts nor get new tokens, and a running server rejects its existing
tokens within 5 seconds. Applications of suspended accounts are refused as well.`
  for (const [name, refused, description, more] of [
    ['refuse', true, 'Refuse an application, or all applications of a host.', lost],
    ['readmit', false, 'Readmit an application or a host. Its tokens work again.', ''],
  ] as const) {
    addCommand(application, name, description, { more, json: '{changed}' })
      .argument('<application>', 'the UUID of the application, or the host of its metadata document')
      .option(...reasonOption)
      .action(async (text, { reason }) => {
        const { setRefused } = await import('../features/moderation/moderation.ts')
        const by = isUuid(text) ? { uuid: text.toLowerCase() } : { host: text }
        const changed = await withDatabase((database) => setRefused(database, 'operator', { by, reason }, refused))
        await print({ changed }, `${text} is ${changed ? 'now' : 'already'} ${refused ? 'refused' : 'admitted'}.`)
      })
  }
}

/** `rookery log` */
export function addLog(program: Command): void {
  const fields = 'uuid, at, actorId, action, subjectId, userId, username, client, reason'
  addListCommand(program, 'List the moderation log', 'acts', fields, 'log').action(async ({ limit, after }) => {
    const { listModerationLog } = await import('../features/moderation/moderation.ts')
    const page = await withDatabase((database) => listModerationLog(database, { limit, after }))
    await printPage('acts', page, `log --limit ${limit}`, {
      UUID: ({ id }) => id,
      AT: ({ at }) => minute(at),
      ACTION: ({ action }) => action.toLowerCase().replace('_', ' '),
      BY: ({ actorId }) => actorId ?? 'operator',
      USERNAME: ({ username }) => username ?? '',
      APPLICATION: ({ client }) => plain(client ?? ''),
      REASON: ({ reason }) => plain(reason ?? ''),
    })
  })
}
