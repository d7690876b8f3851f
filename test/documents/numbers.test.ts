import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { batchLimits } from '../../src/data/batches.ts'
import { batchSizes, reservedConnections, waitingLimits } from '../../src/data/pooled-backend.ts'
import { replicaTimes } from '../../src/data/replicas.ts'
import { servingLimits } from '../../src/data/serving-settings.ts'
import { day } from '../../src/day.ts'
import { waitingForChanges } from '../../src/domain/change-watch.ts'
import { blocks, mutes } from '../../src/domain/edges.ts'
import { emailLinks } from '../../src/domain/email-tokens.ts'
import { longestHashtag, maxHashtags, maxMentions } from '../../src/domain/entities.ts'
import { pointsOfStoredKiB } from '../../src/domain/idempotency.ts'
import { mailsPerDay } from '../../src/domain/mail-limits.ts'
import { topics } from '../../src/domain/mail-topics.ts'
import { freeAttempts, longestWait } from '../../src/domain/sign-in-limits.ts'
import { documentLimits } from '../../src/execution/limits.ts'
import { maxValues } from '../../src/http/json-body.ts'
import { pageSize } from '../../src/page-size.ts'
import { prices } from '../../src/reads/cost.ts'
import { exportPagePrice, linesAtOnce } from '../../src/reads/export.ts'
import { longestPoll } from '../../src/rest/feed.ts'
import { schema } from '../../src/schema/schema.ts'
import { demoNetwork } from '../../src/seed/seed-options.ts'
import { requestSlots } from '../../src/server/server.ts'
import { constant } from '../support/constants.ts'
import { elementsOf } from '../support/schema-facts.ts'
import { textOf } from '../support/source-files.ts'

/** The numbers in a text, with thousands separators or without. */
const numbersIn = (text: string) =>
  [...text.matchAll(/\d+(?:,\d{3})*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')))

/** What a list of docs/reference.md states under a name. */
function statedFor(name: string): string {
  const [, stated = ''] = textOf('docs/reference.md').split(`\n- **${name}**: `)
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
  'followed accounts': () => [constant('maxFollowing')],
  'blocked accounts': () => [blocks.most],
  'muted accounts': () => [mutes.most],
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
  'a mutation': () => [prices.mutation],
  'a field of introspection': () => [prices.introspection],
}

/** Numbers in descriptions of the schema: each element mentions this number. */
const described: readonly (readonly [string, () => number])[] = [
  ['Mutation.createAccessToken', () => constant('maxTokens')],
  ['Mutation.updateProfile', () => constant('renameDays')],
  ['UpdateProfileInput.username', () => constant('usernameKeptDays')],
  ['UserBy.username', () => constant('usernameKeptDays')],
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
  ['Query.changes', () => constant('scannedChanges')],
  ['ChangeFilter', () => constant('maxLookups')],
  ['User.posts.offset', () => constant('maxOffset')],
]

describe('numbers in documents', () => {
  test.each(Object.entries({ ...limits, ...costs }))('docs/reference.md states the limits of %s', (name, numbers) => {
    expect(numbersIn(statedFor(name))).toEqual(numbers())
  })

  test.each(described)('the description of %s mentions its limit', (name, number) => {
    const element = elementsOf(schema).find((candidate) => candidate.name === name)
    expect(numbersIn(element?.description ?? '')).toContain(number())
  })

  test('every document agrees how soon other processes reject a revoked token', () => {
    const documents = ['docs/operations.md', 'docs/security.md', 'src/cli/token.ts', 'src/cli/user.ts']
    const sentences = documents.flatMap((path) => textOf(path).match(/[^.]*(?:within|at most) \d+ seconds[^.]*/g) ?? [])
    const about = sentences.filter((sentence) => /revoke|reject|accept it/i.test(sentence))
    expect(about.length).toBeGreaterThanOrEqual(documents.length)
    for (const sentence of about) expect(numbersIn(sentence)).toContain(seconds('staleness'))
  })

  test('the reference states the price of a result that is stored', () => {
    expect(textOf('docs/reference.md')).toContain(`takes ${pointsOfStoredKiB} points for each KiB`)
  })

  test('the reference states how many changes a page looks at, how long they are kept, and who may wait for them', () => {
    const text = textOf('docs/reference.md')
    expect(text).toContain(`A page looks at ${constant('scannedChanges').toLocaleString('en')} changes`)
    expect(text).toContain(`\`Prefer: wait=${longestPoll}\``)
    expect(text).toContain(`At most ${waitingForChanges} requests and streams of an account wait`)
    expect(text).toContain(`It reads pages of ${constant('subscribedPageSize')}`)
    expect(text).toContain(`Changes are kept for ${usual.changesKept} days`)
    expect(text).toContain(`Notifications are kept for ${usual.notificationsKept} days`)
    expect(text).toContain(`takes back ${constant('eventsAtOnce').toLocaleString('en')} of an account`)
    expect(text).toContain(`Closed reports are kept for ${usual.reportsKept} days`)
  })

  test('the documents state how far replicas may lag, and for how long an account reads from the primary', () => {
    const [lag, onPrimary] = [replicaTimes.lag / 1_000, replicaTimes.onPrimary / 1_000]
    expect(textOf('docs/operations.md')).toContain(`lags for more than ${lag} seconds`)
    expect(textOf('docs/operations.md')).toContain(`reads from the primary for ${onPrimary} seconds`)
    expect(textOf('docs/reference.md')).toContain(`may miss writes of the last ${onPrimary} seconds`)
  })

  test('the documents state how many e-mails there are, for how long they wait, and for how long their links work', () => {
    const { account, client, mailbox, domain } = mailsPerDay
    const operations = textOf('docs/operations.md')
    expect(operations).toContain(
      `In a day, an account can request ${account} e-mails, and a client address ${client}; a mailbox gets ${mailbox} of each kind, and a domain ${domain.toLocaleString('en')}.`,
    )
    const { reset, notice, ...others } = topics
    expect(operations).toContain(
      `e-mails wait for it for a day, those that reset passwords for ${reset / 60_000} minutes, and notices of changed addresses for ${notice / day} days`,
    )
    expect(new Set(Object.values(others))).toEqual(new Set([day]))
    const [, section = ''] = textOf('docs/reference.md').split('\n## E-mail\n')
    const [verified = '', forgotten = '', changed = ''] = section.match(/^- .*$/gm) ?? []
    expect(verified).toContain(`works once, for ${emailLinks.VERIFY.lifetime}`)
    expect(forgotten).toContain(`within ${emailLinks.RESET.lifetime}`)
    expect(changed).toContain(`within ${emailLinks.CHANGE.lifetime}`)
    expect(changed).toContain(`for ${emailLinks.REVERT.lifetime}`)
  })

  test('the README states the size of the demo network', () => {
    expect(textOf('README.md')).toContain(
      `${demoNetwork.users} people and ${demoNetwork.posts.toLocaleString('en')} posts`,
    )
  })
})

test('the size and the price of a page of an export are right', () => {
  expect(textOf('docs/reference.md')).toContain(`A page has ${linesAtOnce} lines,`)
  expect(textOf('docs/reference.md')).toContain(`A page costs ${exportPagePrice} points;`)
})
