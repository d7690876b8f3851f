import type { HttpResponse } from '../../http/response.ts'
import { html } from '../../oauth/html.ts'
import type { Page } from '../../oauth/pages.ts'
import type { Site } from './bar.ts'
import { pageResponse, smallPage } from './page.ts'

/** A page of the authorization server: forms and styles, no scripts. */
export async function formPage({ title, body, formTarget, status = 200 }: Page, site: Site): Promise<HttpResponse> {
  const heading = String(html`${title}`)
  const action = formTarget ? `'self' ${formTarget}` : "'self'"
  const policy = { 'script-src': '', 'connect-src': '', 'require-trusted-types-for': '', 'form-action': action }
  const text = { title: heading, body: smallPage(heading, String(body)) }
  return { ...(await pageResponse({ ...text, entry: 'problem.ts', hasNoScript: true, site, policy })), status }
}
