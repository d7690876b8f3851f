import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { portOf } from '../http/port.ts'

/** An e-mail as the mail server received it. */
export type ReceivedMail = { readonly from: string; readonly to: string; readonly raw: string }

/** A mail server that keeps what it receives. */
export type MailServer = {
  readonly url: string
  readonly mails: ReceivedMail[]
  /** The e-mails to an address, earliest first. */
  to(address: string): ReceivedMail[]
  close(): Promise<void>
}

/** Starts a real mail server without TLS or credentials, with these options. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 10,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        for (const { address: to } of envelope.rcptTo) mails.push({ from, to, raw: Buffer.concat(chunks).toString() })
        done()
      })
    },
    ...options,
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return {
    url: `smtp://127.0.0.1:${portOf(listening)}`,
    mails,
    to: (address) => mails.filter((mail) => mail.to === address),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The text of an e-mail, decoded if it is quoted-printable (RFC 2045, section 6.7). */
export function textOfMail({ raw }: ReceivedMail): string {
  const [head = '', ...body] = raw.split('\r\n\r\n')
  const text = body.join('\r\n\r\n')
  if (!/quoted-printable/i.test(head)) return text
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** The token of the link in an e-mail. */
export function tokenIn(mail: ReceivedMail | undefined): string {
  const [, token] = (mail && /token=(rookery_[\w-]{43})/.exec(textOfMail(mail))) ?? []
  if (token === undefined) throw new TypeError('The e-mail has no link')
  return token
}
