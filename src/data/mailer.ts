import { createTransport } from 'nodemailer'

/** How to reach the mail server, and what mails are from. */
export type MailerOptions = { readonly url: string; readonly from: string; readonly name: string }

/** A mail of plain text. Its id stays the same when it is sent again, so that mail servers and clients can tell. */
export type Mail = { readonly id: string; readonly to: string; readonly subject: string; readonly text: string }

/** How long the mail server may take to connect, to greet, and to answer, in milliseconds. A whole mail takes less than the lease of its job. */
const timeouts = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000, dnsTimeout: 5_000 } as const

/** Thrown when a mail was not sent. The message names no address. */
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
  const { responseCode, code } = Object(error)
  if (typeof responseCode !== 'number') return new MailError(`The mail server does not answer (${code})`)
  // Others are about the connection, such as wrong credentials.
  const isAboutMail = code === 'EENVELOPE' || code === 'EMESSAGE'
  return new MailError(`The mail server answered ${responseCode}`, isAboutMail && responseCode >= 500)
}

/** Sends mails through a mail server (RFC 5321), addresses beyond ASCII by SMTPUTF8 (RFC 6531). */
export class Mailer {
  readonly #transport: ReturnType<typeof createTransport>
  readonly #from: { readonly name: string; readonly address: string }

  constructor({ url, from, name }: MailerOptions) {
    this.#transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
    this.#from = { name, address: from }
  }

  /** Sends a mail. Resolves when the mail server has it. Throws a `MailError`. */
  async send({ id, to, subject, text }: Mail): Promise<void> {
    const host = this.#from.address.replace(/^.*@/, '')
    try {
      await this.#transport.sendMail({
        from: this.#from,
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${host}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    } catch (error) {
      throw mailError(error)
    }
  }

  /** Checks that the mail server can be reached, and accepts the credentials. Throws a `MailError`. */
  async check(): Promise<void> {
    try {
      await this.#transport.verify()
    } catch (error) {
      throw mailError(error)
    }
  }
}
