import { describe, expect, test } from 'vitest'
import { prices } from '../../src/engine/compiler/cost.ts'
import { maxScan, maxScanInLists, pageSize } from '../../src/engine/compiler/limits.ts'
import { batchLimits } from '../../src/engine/data/batches.ts'
import { waitingForChanges } from '../../src/engine/data/change-watch.ts'
import { batchSizes, reservedConnections, waitingLimits } from '../../src/engine/data/pooled-backend.ts'
import { replicaTimes } from '../../src/engine/data/replicas.ts'
import { servingLimits } from '../../src/engine/data/serving-settings.ts'
import { day } from '../../src/engine/day.ts'
import { pointsOfStoredKiB } from '../../src/engine/execution/idempotency.ts'
import { documentLimits } from '../../src/engine/execution/limits.ts'
import { maxValues } from '../../src/engine/http/json-body.ts'
import { longestPoll } from '../../src/engine/rest/run.ts'
import { freeCodes } from '../../src/features/accounts/second-factor/codes.ts'
import { freeAttempts, longestWait } from '../../src/features/accounts/sign-in-limits.ts'
import { invitationDays, maxInvitationUses } from '../../src/features/base/bounds.ts'
import { longestHashtag, maxHashtags, maxMentions } from '../../src/features/base/entities.ts'
import { relationsTo } from '../../src/features/base/relations.ts'
import { demoNetwork } from '../../src/features/demo/seed-options.ts'
import { topics } from '../../src/features/mail/jobs.ts'
import { mailRequests, mailsSent } from '../../src/features/mail/limits.ts'
import { emailLinks } from '../../src/features/mail/links.ts'
import { exportPagePrice, linesAtOnce } from '../../src/features/transfer/export.ts'
import { readConfig } from '../../src/server/config.ts'
import { mailsAtOnce } from '../../src/server/jobs.ts'
import { schema } from '../../src/server/schema.ts'
import { requestSlots } from '../../src/server/server.ts'
import { constant } from '../support/project/constants.ts'
import { textOf } from '../support/project/source-files.ts'
import { elementsOf } from '../support/schema/schema-facts.ts'

/** The numbers in a text, with thousands separators or without. */
const numbersIn = (text: string) =>
  [...text.matchAll(/\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')))

/** What a table of the documents states under a name. */
function statedFor(name: string): string {
  const [, stated = ''] = `${textOf('docs/api.md')}${textOf('docs/operate.md')}`.split(`\n| ${name} | `)
  return stated.split('\n')[0] ?? ''
}

const seconds = (name: string) => constant(name) / 1_000
const mebibytes = (name: string) => constant(name) / 2 ** 20
const kibibytes = (name: string) => constant(name) / 2 ** 10

const usual = readConfig({})

/** Each limit with its numbers, in their order. */
const limits: Readonly<Record<string, () => readonly number[]>> = {
  'mentions and hashtags': () => [maxMentions, maxHashtags, longestHashtag],
  'request body': () => [kibibytes('maxBody')],
  'GraphQL document': () => Object.values(documentLimits),
  'JSON in a request': () => [maxValues],
  'cost of an operation': () => [constant('maxCost'), 5, constant('maxCostWithoutToken')],
  response: () => [mebibytes('maxResponseBytes')],
  'result of resolvers': () => [kibibytes('maxResolvedBytes')],
  'SQL of an operation': () => [constant('maxSqlLength')],
  connections: () => [0, pageSize.max, pageSize.default],
  'numbered pages': () => [constant('maxOffset'), 1, pageSize.max, 5, 20],
  '`nodes`, `users`, `publications`': () => [constant('maxLookups')],
  'active tokens': () => [constant('maxTokens'), constant('signInDays')],
  'new usernames': () => [constant('renameDays'), constant('usernameKeptDays')],
  applications: () => [constant('maxApplications')],
  passkeys: () => [constant('maxPasskeys')],
  invitations: () => [constant('maxInvitations'), invitationDays.max, maxInvitationUses],
  ...Object.fromEntries(
    relationsTo('user').flatMap((it) =>
      it.objectType === 'user' ? [[`${it.on.done} accounts`, () => [it.limit] as const]] : [],
    ),
  ),
  'wrong codes of a second factor': () => [freeCodes, longestWait],
  'requests of an account': () => [requestSlots.atOnce, requestSlots.waiting, requestSlots.waitTimeout / 1_000],
  statements: () => [
    constant('statementsAtOnce'),
    servingLimits.statement_timeout / 1_000,
    servingLimits.lock_timeout / 1_000,
    constant('cheapCost'),
  ],
  'cheap statements': () => [
    constant('cheapCost'),
    batchSizes.usual,
    batchSizes.serial,
    batchLimits.runs,
    batchLimits.waitTimeout / 1_000,
    kibibytes('maxCheapBytes'),
  ],
  'other statements': () => [waitingLimits.ofAccount, waitingLimits.total, waitingLimits.waitTimeout / 1_000],
  'lookups of tokens and trusted documents': () => [reservedConnections, waitingLimits.reserved],
  'cached documents': () => [mebibytes('cachedBytes')],
  'trusted documents': () => [
    constant('maxDocuments'),
    constant('longestDocument'),
    mebibytes('maxDocumentBytes'),
    mebibytes('maxSourceBytes'),
    constant('maxTools'),
  ],
  budget: () => [usual.rateLimit?.points ?? 0, usual.rateLimit?.seconds ?? 0],
  'wrong passwords in a day': () => [freeAttempts.account, freeAttempts.address, longestWait],
  'new accounts in a day': () => [freeAttempts.signUp, longestWait],
  'headers of a request': () => [usual.headerSize, constant('maxHeaders'), constant('longestPreferences')],
  'connections of all addresses': () => [(constant('headersInHeap') * usual.headerSize) / 2 ** 10],
  compression: () => [kibibytes('leastCompressed')],
  'event loop delay': () => [seconds('tooLate'), 503],
}

/** Each part of a cost with its numbers, in their order. */
const costs: Readonly<Record<string, () => readonly number[]>> = {
  'the operation': () => [prices.statement],
  'an object': () => [prices.object],
  'a field': () => [prices.leaf],
  'a content, a bio or a website': () => [prices.longText],
  'a page': () => [prices.page],
  planning: () => [prices.plannedObject, prices.plannedPage],
  'rows that [are hidden](#lists)': () => [
    (maxScan - maxScanInLists) * prices.scanned,
    maxScanInLists * prices.scanned,
  ],
  'a mutation': () => [prices.mutation],
  'a field of introspection': () => [prices.introspection],
}

/** Numbers in descriptions of the schema: each element mentions this number. */
const described: readonly (readonly [string, () => number])[] = [
  ['Mutation.createAccessToken', () => constant('maxTokens')],
  ['Mutation.updateProfile', () => constant('renameDays')],
  ['UpdateProfileInput.username', () => constant('usernameKeptDays')],
  ['UserBy.username', () => constant('usernameKeptDays')],
  ['Mutation.createInvitation', () => constant('maxInvitations')],
  ['Mutation.createApplication', () => constant('maxApplications')],
  ['Mutation.setFollow', () => constant('maxFollowing')],
  ['Mutation.toggleFollow', () => constant('maxFollowing')],
  ['SendPostInput.uuid', () => constant('hoursBehind')],
  ['SendReplyInput.uuid', () => constant('secondsAhead')],
  ['Query.nodes', () => constant('maxLookups')],
  ['Query.users', () => constant('maxLookups')],
  ['Query.publications', () => constant('maxLookups')],
  ['Query.homeTimeline.first', () => pageSize.max],
  ['Query.homeTimeline.first', () => pageSize.default],
  ['Query.changes', () => constant('maxScan')],
  ['ChangeFilter', () => constant('maxLookups')],
  ['User.posts.offset', () => constant('maxOffset')],
]

const { ofKind, toDomain } = mailsAtOnce
const lifetimeOf = (kind: keyof typeof emailLinks) => Number.parseInt(emailLinks[kind].lifetime, 10)

/** Sentences with numbers, whatever their other words: where each begins and ends. */
const sentences: readonly (readonly [path: string, what: string, pattern: RegExp, numbers: readonly number[]])[] = [
  ['README.md', 'the demo network', /demo network of .*? posts/, [demoNetwork.users, demoNetwork.posts]],
  ['docs/api.md', 'the price of a stored response', /stored response.*? KiB/, [pointsOfStoredKiB]],
  ['docs/api.md', 'the changes that a page looks at', /page looks at .*? changes/, [constant('maxScan')]],
  ['docs/api.md', 'the longest poll', /waits up to \d+ seconds/, [longestPoll]],
  ['docs/api.md', 'who may wait', /At most \d+ requests and streams/, [waitingForChanges]],
  ['docs/api.md', 'the page of a stream', /reads pages of \d+/, [constant('subscribedPageSize')]],
  ['docs/api.md', 'how long changes are kept', /Changes are kept .*? days/, [usual.changesKept]],
  ['docs/api.md', 'how long notifications are kept', /Notifications are kept .*? days/, [usual.notificationsKept]],
  ['docs/api.md', 'how long reports are kept', /Closed reports are kept .*? days/, [usual.reportsKept]],
  ['docs/api.md', 'the age of reads of replicas', /miss writes .*? seconds/, [replicaTimes.onPrimary / 1_000]],
  ['docs/api.md', 'the page of an export', /A page has \d+ lines/, [linesAtOnce]],
  ['docs/api.md', 'the price of a page of an export', /page costs \d+ points/, [exportPagePrice]],
  ['docs/api.md', 'the link that verifies', /It works for \d+ days/, [lifetimeOf('VERIFY')]],
  ['docs/api.md', 'the link that resets', /sets a password within .*? minutes/, [lifetimeOf('RESET')]],
  ['docs/api.md', 'the link that changes', /to use within .*? hours/, [lifetimeOf('CHANGE')]],
  ['docs/api.md', 'the link that restores', /a link that restores it, .*? days/, [lifetimeOf('REVERT')]],
  ['docs/deploy.md', 'the lag of replicas', /lags for more than \d+ seconds/, [replicaTimes.lag / 1_000]],
  [
    'docs/deploy.md',
    'how long the primary is read',
    /reads from the primary .*? seconds/,
    [replicaTimes.onPrimary / 1_000],
  ],
  [
    'docs/operate.md',
    'how long e-mails wait',
    /e-mails wait for .*? days/,
    [topics.reset / 60_000, topics['address-notice'] / day],
  ],
  ['docs/operate.md', 'the e-mails sent at once', /process sends .*?domain/, [ofKind, ofKind, toDomain]],
  [
    'docs/operate.md',
    'the e-mails asked for',
    /account can request .*? hour/,
    [mailRequests.account, mailRequests.client],
  ],
  ['docs/operate.md', 'the e-mails sent', /account gets .*? minutes/, [mailsSent.atOnce, mailsSent.thenEvery / 60]],
  ['docs/operate.md', 'the e-mails of a domain', /domain gets .*? a day/, [mailsSent.domain]],
]

describe('numbers in documents', () => {
  test.each(Object.entries({ ...limits, ...costs }))('a table states %s', (name, numbers) => {
    expect(numbersIn(statedFor(name))).toEqual(numbers())
  })

  test.each(described)('the description of %s mentions its limit', (name, number) => {
    const element = elementsOf(schema).find((candidate) => candidate.name === name)
    expect(numbersIn(element?.description ?? '')).toContain(number())
  })

  test('every document agrees how soon other processes reject a revoked token', () => {
    const documents = ['docs/operate.md', 'docs/security.md', 'src/cli/token.ts', 'src/cli/user.ts']
    const sentences = documents.flatMap((path) => textOf(path).match(/[^.]*(?:within|at most) \d+ seconds[^.]*/g) ?? [])
    const about = sentences.filter((sentence) => /revoke|reject|accept it/i.test(sentence))
    expect(about.length).toBeGreaterThanOrEqual(documents.length)
    for (const sentence of about) expect(numbersIn(sentence)).toContain(seconds('staleness'))
  })

  test.each(sentences)('%s states %s of the code', (path, what, pattern, numbers) => {
    const [sentence = ''] = pattern.exec(textOf(path)) ?? []
    expect({ what, numbers: numbersIn(sentence) }).toEqual({ what, numbers })
  })
})
