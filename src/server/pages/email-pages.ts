import { html } from '../../engine/http/html.ts'
import { type FormPage, messagePage } from '../../features/applications/oauth/form-pages.ts'
import { passwordBounds } from '../../features/base/bounds.ts'
import { emailLinks } from '../../features/mail/links.ts'

const tokenField = (token: string) => html`<input type="hidden" name="token" value="${token}">`

const askForm = (problem: string) => html`<form method="post" action="/reset">
<p><label>E-mail address <input type="email" name="email" autocomplete="email" maxlength="254" required autofocus></label></p>
<p role="alert">${problem}</p>
<p><button>Send link</button></p></form>`

const broken = 'It has expired, was already used, or is incomplete.'

/** The pages that links in e-mails open, and on which one asks for such a link. */
export const emailPages = {
  verify: (token: string): FormPage => ({
    title: 'Confirm your e-mail address',
    body: html`<form method="post" action="/verify">${tokenField(token)}<p><button>Confirm</button></p></form>`,
  }),
  verified: messagePage('Your e-mail address has been confirmed', 'You can close this page.'),
  unusable: {
    title: 'This link does not work',
    body: html`<p>${broken} Your app can ask for a new one.</p>
<p>If somebody else may use your account, <a href="/reset">set a new password</a>.</p>`,
  },
  ask: (problem = ''): FormPage => ({
    title: 'Reset your password',
    body: html`<p>Enter the e-mail address of your account, to get a link with which you set a new password.</p>\n${askForm(problem)}`,
  }),
  asked: messagePage(
    'Look into your e-mails',
    `If an account has this address, an e-mail with a link is on its way, which works for ${emailLinks.RESET.lifetime}. If you do not find it, look among the junk.`,
  ),
  noMail: messagePage('This server sends no e-mail', 'Ask its operator for a link with which you set a new password.'),
  reset: (token: string, problem = ''): FormPage => ({
    title: 'Set a new password',
    body: html`<form method="post" action="/reset">${tokenField(token)}
<p><label>New password <input type="password" name="password" autocomplete="new-password" minlength="${String(passwordBounds.min)}" maxlength="${String(passwordBounds.max)}" required autofocus></label></p>
<p role="alert">${problem}</p>
<p><button>Set password</button></p></form>`,
  }),
  expired: {
    title: 'This link does not work',
    body: html`<p>${broken} Ask for a new one:</p>\n${askForm('')}`,
  },
  done: messagePage('Your password has been changed', 'All devices are signed out. Sign in with your new password.'),
}
