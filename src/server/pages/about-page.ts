import { Html, html } from '../../engine/http/html.ts'
import { version } from '../../engine/package.ts'
import type { Admission } from '../../features/accounts/admission.ts'
import { contactLink } from '../../features/server-info/contact.ts'
import { rulesMarkup } from '../../features/server-info/rules.ts'
import type { ServerOptions } from '../server-options.ts'
import { bar, pageResponse, type Site, signUpButton } from './page.ts'

/** What the page says of the server. */
type About = Site & Pick<ServerOptions, 'siteDescription' | 'siteLanguages' | 'admission'>

/** How people join, by who can sign up. */
const joining: Readonly<Record<Admission['signUp'], string>> = {
  open: 'Everybody can join: open the timeline, and sign up.',
  approval: 'Everybody can ask to join: sign up, and a moderator decides.',
  invitation: 'Whoever has an invitation can join: open its link.',
  closed: 'Only the operator creates accounts. If you have one, open the timeline and sign in.',
}

/** `/` of a server that introduces itself: whose it is, what its rules are, and how to join. It works without a script. */
export function aboutPage(site: About) {
  const { siteName, siteDescription, siteLanguages, contact, rules, admission } = site
  const languages = new Intl.DisplayNames('en', { type: 'language' })
  const facts = [
    siteLanguages.length > 0 &&
      html`<dt>Languages</dt><dd>${siteLanguages.map((tag) => languages.of(tag) ?? tag).join(', ')}</dd>`,
    contact !== undefined && html`<dt>Contact</dt><dd>${contactLink(contact, contact)}</dd>`,
  ].filter((fact) => fact !== false)
  const body = html`${new Html(bar('/', site))}
<main class="own text">
<h1>${siteName}</h1>
${siteDescription === undefined ? undefined : html`<p class="lead">${siteDescription}</p>`}
<p>${joining[admission.signUp]}</p>
<p class="buttons"><a class="button main" href="/timeline">Open the timeline</a>${signUpButton(admission)}</p>
${facts.length === 0 ? undefined : html`<dl>${facts}</dl>`}
${
  rules === undefined
    ? undefined
    : html`<section class="rules" aria-labelledby="rules">
${rulesMarkup(rules)}</section>`
}
<h2>For developers</h2>
<p>This network has an API: <a href="/api/v1/docs">REST</a>${
    site.graphiql ? html` and <a href="/graphql">GraphQL</a>` : undefined
  }.</p>
</main>
<footer class="own text">Rookery ${version}</footer>`
  return pageResponse({ entry: 'about.ts', body: String(body), site })
}
