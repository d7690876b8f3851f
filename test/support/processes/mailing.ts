import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { startJobs } from '../../../src/engine/jobs/jobs.ts'
import { MailLimits } from '../../../src/features/mail/limits.ts'
import { Mailer } from '../../../src/features/mail/mailer.ts'
import { readConfig } from '../../../src/server/config.ts'
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
