import { lowerCase, seconds, view } from '../../engine/rest/view.ts'
import { sampleUser, sampleViewer, userView } from '../accounts/rest-views.ts'
import { postView, samplePost } from '../posts/rest-views.ts'

/** What moderators need to see posts and replies alike. */
export const eitherPost = [['post.get', 'reply.get']] as const

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
  uuid: 'uuid',
  state: ['state', lowerCase],
  created_at: ['createdAt', seconds],
} as const

/** A report, as its sender sees it. */
export const sentReportView = view('SentReport', 'Report', 'A report, as its sender sees it.', sampleReport, ofReport)

/** A report, as moderators see it. */
export const reportView = view('Report', 'Report', 'A report, with a copy of what was reported.', sampleReport, {
  ...ofReport,
  reason: ['reason', lowerCase],
  comment: 'comment',
  subject: 'subjectUuid',
  user: ['user', userView],
  post: ['publication', postView],
  reporter: ['reporter', userView],
  username: 'username',
  display_name: 'displayName',
  content: 'content',
  closed_at: ['closedAt', seconds],
  closed_by: ['closedBy', userView],
  note: 'note',
})

/** An appeal of the sample user. */
export const sampleAppeal = {
  uuid: '019ab2c4-b152-7a7e-8d44-9f5061728395',
  state: 'OPEN',
  text: 'It was not me who wrote that.',
  createdAt: '2026-07-27T11:00:00.000Z',
  answer: null,
  answeredAt: null,
  user: sampleUser,
  answeredBy: null,
} as const

const ofAppeal = {
  uuid: 'uuid',
  state: ['state', lowerCase],
  text: 'text',
  created_at: ['createdAt', seconds],
  answer: 'answer',
  answered_at: ['answeredAt', seconds],
} as const

/** An appeal, as whoever sent it sees it. */
export const ownAppealView = view(
  'OwnAppeal',
  'Appeal',
  'An appeal, as whoever sent it sees it.',
  sampleAppeal,
  ofAppeal,
)

/** An appeal, as moderators see it. */
export const appealView = view('Appeal', 'Appeal', 'An appeal, with the account that appeals.', sampleAppeal, {
  ...ofAppeal,
  user: ['user', userView],
  answered_by: ['answeredBy', userView],
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
  at: ['at', seconds],
  action: ['action', lowerCase],
  actor: ['actor', userView],
  actor_uuid: 'actorUuid',
  subject: 'subjectUuid',
  user: ['user', userView],
  username: 'username',
  reason: 'reason',
  client: 'client',
})
