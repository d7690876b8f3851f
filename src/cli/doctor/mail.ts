import type { Config } from '../../config.ts'
import { MailError, Mailer } from '../../data/mailer.ts'
import { type Check, check } from './check.ts'

/** Checks that the mail server can be reached, if there is one. */
export async function checkMail({ mail, siteName: name }: Config): Promise<Check[]> {
  if (!mail) return []
  try {
    await new Mailer({ ...mail, name }).check()
    return [check('ok', 'E-mail', `The mail server accepts mails from ${mail.from}.`)]
  } catch (error) {
    if (!(error instanceof MailError)) throw error
    const advice = 'Mails wait until it does. Check SMTP_URL, and the logs of that server.'
    return [check('warning', 'E-mail', `SMTP_URL: ${error.message}.`, advice)]
  }
}
