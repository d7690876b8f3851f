import { createTransport } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { domainOf } from '../base/email-address.ts'

/**
 * How long it may take to send an e-mail, in milliseconds: less than the lease of its job, and long enough for a mail server that
 * examines an e-mail before it accepts it. One that it accepts later is sent again.
 */
export const sendTimeout = 45_000

/**
 * How to reach the mail server and the name by which it is greeted, whom e-mails are from, and how long it may take to send one, by default
 * `sendTimeout`.
 */
type MailerOptions = {
  readonly url: string
  readonly host: string
  readonly from: string
  readonly name: string
  readonly timeout?: number
}

/** An e-mail in plain text. Its id stays the same when it is sent again, so that mail servers and clients can recognize it. */
type Mail = { readonly id: string; readonly to: string; readonly subject: string; readonly text: string }

/** How long the mail server may take to connect and to greet, which some delay, in milliseconds. */
const connectTimeout = 15_000

/** Thrown when an e-mail was not sent. The message names no address. */
export class MailError extends Error {
  override readonly name = 'MailError'
  /** Whether the mail server refuses it for good (RFC 5321, section 4.2.1). */
  readonly isPermanent: boolean

  constructor(message: string, isPermanent = false) {
    super(message)
    this.isPermanent = isPermanent
  }
}

/** The error of nodemailer without what the mail server said, which may name the address. */
function mailError(error: unknown): MailError {
  const { responseCode, command, permanent, response, code, message } = Object(error)
  if (code === 'EABORT') return new MailError('The mail server takes too long')
  if (typeof responseCode !== 'number')
    return new MailError(`The mail server cannot be used: ${typeof response === 'string' ? code : message}`)
  // Others are about the connection, the credentials, which 530 requires, or the sender.
  const isAboutMail = ['RCPT TO', 'DATA'].includes(command) && responseCode !== 530
  return new MailError(`The mail server answered ${responseCode}`, isAboutMail && permanent === true)
}

/** Sends e-mails through a mail server (RFC 5321), to local parts beyond ASCII with SMTPUTF8 (RFC 6531). */
export class Mailer {
  readonly #transport: ReturnType<typeof createTransport>
  readonly #from: { readonly name: string; readonly address: string }
  readonly #timeout: number
  readonly #closing = new AbortController()

  constructor({ url, host, from, name, timeout = sendTimeout }: MailerOptions) {
    const connecting = {
      name: host,
      connectionTimeout: connectTimeout,
      greetingTimeout: connectTimeout,
      dnsTimeout: connectTimeout,
    }
    const options = { ...connecting, socketTimeout: timeout, disableFileAccess: true, disableUrlAccess: true }
    this.#transport = createTransport({ url, ...options })
    this.#from = { name, address: from }
    this.#timeout = timeout
  }

  /** Sends an e-mail. Resolves when the mail server has accepted it. Throws a `MailError`. */
  async send({ id, to, subject, text }: Mail): Promise<void> {
    const host = domainOf(this.#from.address)
    // Without the extension, the mail server would get bytes that it cannot know what they mean (RFC 6531, section 3.2).
    if (/[^\p{ASCII}]/u.test(to) && !(await this.offersUtf8()))
      throw new MailError('The mail server does not offer SMTPUTF8', true)
    try {
      await this.#transport.sendMail({
        from: this.#from,
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${host}>`,
        // The second one is for Exchange, which answers the first one.
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        signal: AbortSignal.any([AbortSignal.timeout(this.#timeout), this.#closing.signal]),
      })
    } catch (error) {
      throw mailError(error)
    }
  }

  /** Checks that the mail server can be reached and accepts the credentials. Throws a `MailError`. */
  async check(): Promise<void> {
    try {
      await this.#transport.verify()
    } catch (error) {
      throw mailError(error)
    }
  }

  /** Whether the mail server takes addresses whose local part is beyond ASCII. Throws a `MailError`. */
  async offersUtf8(): Promise<boolean> {
    const connection = new SMTPConnection(this.#transport.options)
    try {
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject)
        connection.connect((error) => (error ? reject(error) : resolve()))
      })
      // That to the last EHLO, which is the one after STARTTLS.
      return /^250[ -]SMTPUTF8\b/im.test(String(connection.lastServerResponse))
    } catch (error) {
      throw mailError(error)
    } finally {
      connection.close()
    }
  }

  /** Ends what is being sent. */
  close(): void {
    this.#closing.abort()
  }
}
