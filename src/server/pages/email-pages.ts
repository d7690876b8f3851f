import type { HttpResponse } from '../../http/response.ts'
import { emailLinks } from '../../mail/links.ts'
import { passwordBounds } from '../../text/bounds.ts'
import type { Site } from './bar.ts'
import { pageResponse, smallPage } from './page.ts'

/** The pages that links in e-mails open, and on which one asks for such a link. They work without scripts. */
export type EmailPage = 'verify' | 'verified' | 'unusable' | 'ask' | 'asked' | 'noMail' | 'reset' | 'expired' | 'done'

/** The token is a field of the form. It was checked: nothing else from a request becomes part of a page. */
const tokenField = (token: string) => `<input type="hidden" name="token" value="${token}">`

const askForm = (problem: string) => `<form method="post" action="/reset">
<p><label>E-mail address <input type="email" name="email" autocomplete="email" maxlength="254" required autofocus></label></p>
<p role="alert">${problem}</p>
<p><button>Send link</button></p></form>`

const broken = 'It has expired, was already used, or is incomplete.'

const contents: Readonly<Record<EmailPage, (token: string, problem: string) => { title: string; text: string }>> = {
  verify: (token) => ({
    title: 'Confirm your e-mail address',
    text: `<form method="post" action="/verify">${tokenField(token)}<p><button>Confirm</button></p></form>`,
  }),
  verified: () => ({ title: 'Your e-mail address has been confirmed', text: '<p>You can close this page.</p>' }),
  unusable: () => ({
    title: 'This link does not work',
    text: `<p>${broken} Your app can ask for a new one.</p>
<p>If somebody else may use your account, <a href="/reset">set a new password</a>.</p>`,
  }),
  ask: (_, problem) => ({
    title: 'Reset your password',
    text: `<p>Enter the e-mail address of your account, to get a link with which you set a new password.</p>\n${askForm(problem)}`,
  }),
  asked: () => ({
    title: 'Look into your e-mails',
    text: `<p>If an account has this address, an e-mail with a link is on its way, which works for ${emailLinks.RESET.lifetime}. If you do not find it, look among the junk.</p>`,
  }),
  noMail: () => ({
    title: 'This server sends no e-mail',
    text: '<p>Ask its operator for a link with which you set a new password.</p>',
  }),
  reset: (token, problem) => ({
    title: 'Set a new password',
    text: `<form method="post" action="/reset">${tokenField(token)}
<p><label>New password <input type="password" name="password" autocomplete="new-password" minlength="${passwordBounds.min}" maxlength="${passwordBounds.max}" required autofocus></label></p>
<p role="alert">${problem}</p>
<p><button>Set password</button></p></form>`,
  }),
  expired: (_, problem) => ({
    title: 'This link does not work',
    text: `<p>${broken} Ask for a new one:</p>\n${askForm(problem)}`,
  }),
  done: () => ({
    title: 'Your password has been changed',
    text: '<p>All devices are signed out. Sign in with your new password.</p>',
  }),
}

/** Makes one of these pages, with the token of a link and a problem where it shows them. */
export async function emailPage(
  page: EmailPage,
  site: Site,
  { token = '', problem = '' }: { readonly token?: string; readonly problem?: string } = {},
): Promise<HttpResponse> {
  const { title, text } = contents[page](token, problem)
  const body = smallPage(title, text)
  return pageResponse({ title, entry: 'problem.ts', body, site, policy: { 'form-action': "'self'" } })
}
