import { html } from '../../engine/http/html.ts'
import type { HttpResponse } from '../../engine/http/response.ts'
import type { FormPage } from '../../features/applications/oauth/form-pages.ts'
import type { Site } from './bar.ts'
import { smallPage } from './page.ts'

/**
 * A page with forms and styles, and no scripts. Browsers apply `form-action` to every redirect after a form, so a form that may lead to an application,
 * and from there anywhere, has none. Without a referrer they would say that forms are from nowhere.
 */
export async function formPageResponse(
  { title, body, leadsOn = false, status = 200 }: FormPage,
  site: Site,
): Promise<HttpResponse> {
  const policy = {
    'script-src': '',
    'connect-src': '',
    'require-trusted-types-for': '',
    'form-action': leadsOn ? '' : "'self'",
  }
  const page = {
    title: String(html`${title}`),
    text: String(body),
    hasNoScript: true,
    referrer: 'same-origin',
    site,
    policy,
  } as const
  return { ...(await smallPage(page)), status }
}
