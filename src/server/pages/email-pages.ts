import { html } from '../../html.ts'
import { emailLinks } from '../../mail/links.ts'
import { messagePage, type Page } from '../../oauth/pages.ts'
import { passwordBounds } from '../../text/bounds.ts'

/** The pages that links in e-mails open, and on which one asks for such a link. */
export type EmailPage = 'verify' | 'verified' | 'unusable' | 'ask' | 'asked' | 'noMail' | 'reset' | 'expired' | 'done'

const tokenField = (token: string) => html`<input type="hidden" name="token" value="${token}">`

const askForm = (problem: string) => html`<form method="post" action="/reset">
<p><label>E-mail address <input type="email" name="email" autocomplete="email" maxlength="254" required autofocus></label></p>
<p role="alert">${problem}</p>
<p><button>Send link</button></p></form>`

const broken = 'It has expired, was already used, or is incomplete.'

const pages: Readonly<Record<EmailPage, (token: string, problem: string) => Page>> = {
  verify: (token) => ({
    title: 'Confirm your e-mail address',
    body: html`<form method="post" action="/verify">${tokenField(token)}<p><button>Confirm</button></p></form>`,
  }),
  verified: () => messagePage('Your e-mail address has been confirmed', 'You can close this page.'),
  unusable: () => ({
    title: 'This link does not work',
    body: html`<p>${broken} Your app can ask for a new one.</p>
<p>If somebody else may use your account, <a href="/reset">set a new password</a>.</p>`,
  }),
  ask: (_, problem) => ({
    title: 'Reset your password',
    body: html`<p>Enter the e-mail address of your account, to get a link with which you set a new password.</p>\n${askForm(problem)}`,
  }),
  asked: () =>
    messagePage(
      'Look into your e-mails',
      `If an account has this address, an e-mail with a link is on its way, which works for ${emailLinks.RESET.lifetime}. If you do not find it, look among the junk.`,
    ),
  noMail: () =>
    messagePage('This server sends no e-mail', 'Ask its operator for a link with which you set a new password.'),
  reset: (token, problem) => ({
    title: 'Set a new password',
    body: html`<form method="post" action="/reset">${tokenField(token)}
<p><label>New password <input type="password" name="password" autocomplete="new-password" minlength="${String(passwordBounds.min)}" maxlength="${String(passwordBounds.max)}" required autofocus></label></p>
<p role="alert">${problem}</p>
<p><button>Set password</button></p></form>`,
  }),
  expired: (_, problem) => ({
    title: 'This link does not work',
    body: html`<p>${broken} Ask for a new one:</p>\n${askForm(problem)}`,
  }),
  done: () =>
    messagePage('Your password has been changed', 'All devices are signed out. Sign in with your new password.'),
}

/** One of these pages, with the token of a link and a problem where it shows them. */
export const emailPage = (page: EmailPage, { token = '', problem = '' } = {}): Page => pages[page](token, problem)
