import type { HttpResponse } from '../../http/response.ts'
import type { Site } from './bar.ts'
import { pageResponse } from './page.ts'

/** The pages that links in mails open. They work without scripts. */
export type EmailPage = 'verify' | 'verified' | 'reset' | 'done' | 'unusable' | 'refused'

/** The token stands in a field of the form. It was checked: nothing else of a request becomes a part of a page. */
const tokenField = (token: string) => `<input type="hidden" name="token" value="${token}">`

const contents: Readonly<Record<EmailPage, (token: string, problem: string) => { title: string; text: string }>> = {
  verify: (token) => ({
    title: 'Confirm your e-mail address',
    text: `<form method="post" action="/verify">${tokenField(token)}<p><button>Confirm</button></p></form>`,
  }),
  verified: () => ({ title: 'Your e-mail address is confirmed', text: '<p>You can close this page.</p>' }),
  reset: (token, problem) => ({
    title: 'Set a new password',
    text: `<form method="post" action="/reset">${tokenField(token)}
<p><label>New password <input type="password" name="password" autocomplete="new-password" minlength="8" maxlength="128" required autofocus></label></p>
<p role="alert">${problem}</p>
<p><button>Set password</button></p></form>`,
  }),
  done: () => ({
    title: 'Your password is changed',
    text: '<p>Everybody is signed out. Sign in with the new password.</p>',
  }),
  unusable: () => ({
    title: 'This link does not work',
    text: '<p>It was used already, is too old, or is not complete. Ask for a new one.</p>',
  }),
  refused: () => ({
    title: 'Please try again',
    text: '<p>The server is busy. Go back, and try again in a minute.</p>',
  }),
}

/** Makes one of these pages, with the token of a link and a problem where it shows them. */
export async function emailPage(
  page: EmailPage,
  site: Site,
  { token = '', problem = '' }: { readonly token?: string; readonly problem?: string } = {},
): Promise<HttpResponse> {
  const { title, text } = contents[page](token, problem)
  const body = `<main class="own text">\n<h1>${title}</h1>\n${text}\n</main>`
  return pageResponse({ title, entry: 'problem.ts', body, site, policy: { 'form-action': "'self'" } })
}
