import { z } from 'zod'
import { seconds, text, time, uuid } from '../../engine/rest/types.ts'
import { view } from '../../engine/rest/view.ts'
import { sampleUser, sampleViewer, username, userView } from '../accounts/rest-views.ts'
import { bioBounds, commentBounds, nameBounds, reasonBounds } from '../base/bounds.ts'
import { postView, samplePost } from '../posts/rest-views.ts'
import { longestHost } from './moderation.ts'

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
  USER_DELETED: 'user_deleted',
  PUBLICATION_REMOVED: 'publication_removed',
  REPORT_CLOSED: 'report_closed',
  APPLICATION_REFUSED: 'application_refused',
  APPLICATION_READMITTED: 'application_readmitted',
})

/** A report of the sample post by the viewer. */
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
  uuid: ['uuid', uuid],
  state: ['state', state, (it: keyof typeof state.enum) => state.enum[it]],
  created_at: ['createdAt', time, seconds],
} as const

/** A report, as its sender sees it. */
export const sentReportView = view('SentReport', 'Report', 'A report, as its sender sees it.', sampleReport, ofReport)

/** A report, as moderators see it. */
export const reportView = view('Report', 'Report', 'A report, with a copy of what was reported.', sampleReport, {
  ...ofReport,
  reason: ['reason', reason, (it: keyof typeof reason.enum) => reason.enum[it]],
  comment: ['comment', text(commentBounds).nullable()],
  subject: ['subjectUuid', uuid],
  user: ['user', userView.schema.nullable(), userView],
  post: ['publication', postView.schema.nullable(), postView],
  reporter: ['reporter', userView.schema.nullable(), userView],
  username: ['username', username],
  display_name: ['displayName', text(nameBounds)],
  content: ['content', text({ ...bioBounds, min: 0 })],
  closed_at: ['closedAt', time.nullable(), seconds],
  closed_by: ['closedBy', userView.schema.nullable(), userView],
  note: ['note', text(reasonBounds).nullable()],
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
  client: null,
} as const

/** An entry of the moderation log. */
export const actView = view('ModerationAct', 'ModerationAct', 'An entry of the moderation log.', sampleAct, {
  at: ['at', time, seconds],
  action: ['action', action, (it: keyof typeof action.enum) => action.enum[it]],
  actor: ['actor', userView.schema.nullable(), userView],
  actor_uuid: ['actorUuid', uuid.nullable()],
  subject: ['subjectUuid', uuid],
  user: ['user', userView.schema.nullable(), userView],
  username: ['username', username.nullable()],
  reason: ['reason', text(reasonBounds).nullable()],
  client: ['client', text({ min: 1, max: longestHost }).nullable()],
})
