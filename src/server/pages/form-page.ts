import { html } from '../../html.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { FormPage } from '../../oauth/form-pages.ts'
import type { Site } from './bar.ts'
import { smallPage } from './page.ts'

/** A page with forms and styles, and no scripts. */
export async function formPageResponse(
  { title, body, formTarget, status = 200 }: FormPage,
  site: Site,
): Promise<HttpResponse> {
  const action = formTarget ? `'self' ${formTarget}` : "'self'"
  const policy = { 'script-src': '', 'connect-src': '', 'require-trusted-types-for': '', 'form-action': action }
  const page = { title: String(html`${title}`), text: String(body), hasNoScript: true, site, policy }
  return { ...(await smallPage(page)), status }
}
