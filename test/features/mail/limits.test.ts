import { expect, test } from 'vitest'
import { newId } from '../../../src/engine/data/ids.ts'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import type { MailPayload } from '../../../src/features/mail/jobs.ts'
import { MailLimits, mailsSent } from '../../../src/features/mail/limits.ts'

const mail = (more: Partial<MailPayload> = {}): MailPayload => ({
  id: newId(),
  topic: 'reset',
  userId: newId(),
  username: 'ada',
  to: 'ada@mail.example',
  domain: 'mail.example',
  isVerified: true,
  at: 0,
  until: 0,
  ...more,
})

/** How long each of so many e-mails waits, in seconds. */
async function waits(limits: MailLimits, count: number, next: () => MailPayload): Promise<number[]> {
  const found: number[] = []
  for (let nth = 0; nth < count; nth += 1) found.push(Math.ceil((await limits.take(next())).wait))
  return found
}

const free = (count: number) => Array(count).fill(0)
const { atOnce, thenEvery, domain } = mailsSent

test('an account gets so many e-mails on a topic at once, then one every half hour', async () => {
  const limits = new MailLimits(memoryLimiters)
  const ada = mail()
  expect(await waits(limits, atOnce + 2, () => ada)).toEqual([...free(atOnce + 1), thenEvery])
  expect(await waits(limits, 1, () => ({ ...ada, topic: 'password-notice' }))).toEqual([0])
})

test('accounts that did not verify an address share its limit, and take nothing from one that did', async () => {
  const limits = new MailLimits(memoryLimiters)
  expect(await waits(limits, atOnce + 2, () => mail({ isVerified: false }))).toEqual([...free(atOnce + 1), thenEvery])
  expect(await waits(limits, atOnce, () => mail())).toEqual(free(atOnce))
})

test('the limit of a domain delays the e-mails that verify addresses, no others', async () => {
  const limits = new MailLimits(memoryLimiters)
  const strangers = () => mail({ topic: 'verification', to: `${newId()}@mail.example`, isVerified: false })
  expect(await waits(limits, domain, strangers)).toEqual(free(domain))
  expect(await waits(limits, 1, strangers)).toEqual([3_600])
  expect(await waits(limits, 1, () => mail({ isVerified: false }))).toEqual([0])
})

test('what was not sent is not counted', async () => {
  const limits = new MailLimits(memoryLimiters)
  const ada = mail({ isVerified: false })
  for (let nth = 0; nth < atOnce * 2; nth += 1) {
    const turn = await limits.take(ada)
    expect(turn.wait).toBe(0)
    await turn.takeBack()
  }
})
