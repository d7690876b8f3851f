import { readConfig } from '../../../src/config.ts'
import { memoryLimiters } from '../../../src/data/limiters/memory-limiter.ts'
import { startJobs } from '../../../src/domain/job-worker.ts'
import { MailLimits } from '../../../src/mail/limits.ts'
import { Mailer } from '../../../src/mail/mailer.ts'
import { addCleanUp, jobKindsOf } from '../../../src/server/jobs.ts'
import type { TestApp } from '../app.ts'

/** The URL that links in e-mails begin with. */
export const publicUrl = 'https://nest.example/social'

/** Sends the e-mails of an app through a mail server. Returns what stops it. */
export function startMailing({ database, log }: TestApp, url: string, limits = new MailLimits(memoryLimiters)) {
  const mailer = new Mailer({ url, host: 'nest.example', from: 'noreply@nest.example', name: 'The Nest' })
  const mailing = { mailer, siteName: 'The Nest', publicUrl, limits }
  const kinds = jobKindsOf(database, readConfig({}), log, mailing)
  const stop = startJobs(database, kinds, log, { every: 50, begin: () => addCleanUp(database) })
  return async () => {
    mailer.close()
    await stop()
  }
}
