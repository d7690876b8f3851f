import { z } from 'zod'
import { bioBounds } from '../../domain/accounts.ts'
import { reasonBounds } from '../../domain/moderation.ts'
import { commentBounds } from '../../domain/reports.ts'
import { nameBounds } from '../../domain/text.ts'
import { view } from '../view.ts'
import { postView, samplePost } from './posts.ts'
import { newText, seconds, text, time, uuid } from './types.ts'
import { sampleUser, sampleViewer, username, userView } from './users.ts'

/** What moderators need to see posts and replies alike. */
export const eitherPost = [['post.get', 'reply.get']] as const

/** Why something is reported, in lower case. */
export const reason = z.enum({ SPAM: 'spam', ABUSE: 'abuse', ILLEGAL: 'illegal', OTHER: 'other' })

/** The states of reports, in lower case. */
export const state = z.enum({ OPEN: 'open', CLOSED: 'closed' })

const action = z.enum({
  USER_SUSPENDED: 'user_suspended',
  USER_REINSTATED: 'user_reinstated',
  USER_PROMOTED: 'user_promoted',
  USER_DEMOTED: 'user_demoted',
  PUBLICATION_REMOVED: 'publication_removed',
  REPORT_CLOSED: 'report_closed',
})

/** A reason for what a moderator does. */
export const newReason = newText(reasonBounds).describe('Why, for the moderation log.')

/** A report of the sample post by the owner of the token. */
export const sampleReport = {
  uuid: '019ab2c4-b152-7a7e-8d44-9f5061728394',
  state: 'OPEN',
  reason: 'SPAM',
  comment: 'Posted every day.',
  createdAt: '2026-07-27T09:00:00.000Z',
  subjectUuid: samplePost.uuid,
  user: sampleUser,
  publication: samplePost,
  reporter: sampleViewer,
  username: sampleUser.username,
  displayName: sampleUser.displayName,
  content: samplePost.content,
  closedAt: null,
  closedBy: null,
  note: null,
} as const

const ofReport = {
  uuid: ['uuid', uuid.describe('The uuid of the report.')],
  state: ['state', state.describe('Whether it was dealt with.'), (it: keyof typeof state.enum) => state.enum[it]],
  created_at: ['createdAt', time.describe('When it was reported, in Unix seconds.'), seconds],
} as const

/** A report, as its sender sees it. */
export const sentReportView = view('SentReport', 'Report', 'A report, as its sender sees it.', sampleReport, ofReport)

/** A report, as moderators see it. */
export const reportView = view('Report', 'Report', 'A report, with a copy of what was reported.', sampleReport, {
  ...ofReport,
  reason: ['reason', reason.describe('Why it was reported.'), (it: keyof typeof reason.enum) => reason.enum[it]],
  comment: ['comment', text(commentBounds).nullable().describe('What the reporter added, or null.')],
  subject: ['subjectUuid', uuid.describe('The uuid of the user, post or reply, even after its deletion.')],
  user: [
    'user',
    userView.schema.nullable().describe('The user, or the author. Null if the account was deleted.'),
    userView,
  ],
  post: [
    'publication',
    postView.schema.nullable().describe('The post or reply. Null if it was deleted, and for users.'),
    postView,
  ],
  reporter: [
    'reporter',
    userView.schema.nullable().describe('Who reported it. Null if the account was deleted.'),
    userView,
  ],
  username: ['username', username.describe('The username of the user or author when it was reported.')],
  display_name: ['displayName', text(nameBounds).describe('The display name of the user or author at that time.')],
  content: [
    'content',
    text({ ...bioBounds, min: 0 }).describe(
      'The text of the post or reply, or the biography of the user, at that time.',
    ),
  ],
  closed_at: [
    'closedAt',
    time.nullable().describe('When it was closed, in Unix seconds, or null.'),
    (at: Date | string | null) => (at === null ? null : seconds(at)),
  ],
  closed_by: [
    'closedBy',
    userView.schema.nullable().describe('The moderator who closed it. Null if it is open, or the operator closed it.'),
    userView,
  ],
  note: ['note', text(reasonBounds).nullable().describe('The note of who closed it, or null.')],
})

const sampleAct = {
  at: '2026-07-27T10:00:00.000Z',
  action: 'PUBLICATION_REMOVED',
  actor: sampleViewer,
  actorUuid: sampleViewer.uuid,
  subjectUuid: samplePost.uuid,
  user: sampleUser,
  username: sampleUser.username,
  reason: 'Advertising.',
} as const

/** An entry of the moderation log. */
export const actView = view('ModerationAct', 'ModerationAct', 'An entry of the moderation log.', sampleAct, {
  at: ['at', time.describe('When it was done, in Unix seconds.'), seconds],
  action: ['action', action.describe('What was done.'), (it: keyof typeof action.enum) => action.enum[it]],
  actor: [
    'actor',
    userView.schema.nullable().describe('The moderator. Null if the operator did it, or the account was deleted.'),
    userView,
  ],
  actor_uuid: [
    'actorUuid',
    uuid
      .nullable()
      .describe('The uuid of the moderator, even after the deletion of the account, or null for the operator.'),
  ],
  subject: ['subjectUuid', uuid.describe('The uuid of the user, post, reply or report, even after its deletion.')],
  user: [
    'user',
    userView.schema
      .nullable()
      .describe('The user, the author, or whom the report is about. Null if the account was deleted.'),
    userView,
  ],
  username: ['username', username.describe('The username of this user at that time.')],
  reason: [
    'reason',
    text(reasonBounds).nullable().describe('Why it was done, or the note on a closed report, or null.'),
  ],
})
