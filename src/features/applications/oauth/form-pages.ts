import { type Html, html } from '../../../engine/http/html.ts'
import { isLoopbackHost } from '../../../engine/http/loopback.ts'
import type { Scope } from '../../../engine/scopes.ts'
import { passwordBounds } from '../../base/bounds.ts'
import { isScope, scopeGroups, scopeSentences, startsCleared } from '../../base/scopes.ts'
import type { ListedAuthorization } from '../authorizations.ts'
import { hostOf } from '../clients.ts'
import { webClient } from './web-client.ts'

/** A page with forms, which works without scripts. */
export type FormPage = {
  readonly title: string
  readonly body: Html
  /** Whether its forms may lead to an application. */
  readonly leadsOn?: boolean
  readonly status?: number
}

const problemText = (problem: string | undefined) => (problem ? html`<p role="alert">${problem}</p>` : undefined)

/** What a form shows again: a problem, and what was entered. */
export type Entered = { readonly problem?: string | undefined; readonly username?: string; readonly email?: string }

/** What the page to sign in offers besides. */
type SignInOptions = Entered & {
  readonly action: string
  readonly signUp?: string | undefined
  readonly hasMail: boolean
  readonly leadsOn?: boolean
}

export const signInPage = ({
  action,
  signUp,
  hasMail,
  username = '',
  problem,
  leadsOn = false,
}: SignInOptions): FormPage => ({
  title: 'Sign in',
  body: html`<form method="post" action="${action}">
<p><label>Username <input name="username" value="${username}" autocomplete="username" autocapitalize="none" maxlength="40" required autofocus></label></p>
<p><label>Password <input type="password" name="password" autocomplete="current-password" maxlength="${String(passwordBounds.max)}" required></label></p>
${problemText(problem)}
<p><button>Sign in</button></p></form>
${hasMail ? html`<p><a href="/reset">Forgot your password?</a></p>` : undefined}
${signUp ? html`<p>New here? <a href="${signUp}">Sign up</a></p>` : undefined}`,
  leadsOn,
  status: problem ? 422 : 200,
})

export const signUpPage = (action: string, signIn: string, entered: Entered): FormPage => ({
  title: 'Sign up',
  body: html`<form method="post" action="${action}">
<p><label>Username <input name="username" value="${entered.username}" autocomplete="username" autocapitalize="none" maxlength="30" required autofocus></label></p>
<p><label>E-mail address <input type="email" name="email" value="${entered.email}" autocomplete="email" maxlength="254" required></label></p>
<p><label>Password <input type="password" name="password" autocomplete="new-password" minlength="${String(passwordBounds.min)}" maxlength="${String(passwordBounds.max)}" required></label></p>
${problemText(entered.problem)}
<p><button>Sign up</button></p></form>
<p>You have an account? <a href="${signIn}">Sign in</a></p>`,
  leadsOn: true,
  status: entered.problem ? 422 : 200,
})

/** What somebody is asked to allow. */
type Asked = {
  readonly action: string
  readonly clientId: string
  readonly name: string
  /** The owner of an application that was registered here. */
  readonly owner?: string | undefined
  /** Who is signed in. */
  readonly username: string
  readonly scopes: readonly Scope[]
  readonly redirectUri?: string | undefined
  readonly canSwitch: boolean
  readonly problem?: string | undefined
}

/** The sentence that says who vouches for the name of an application. */
function voucher({ clientId, owner }: Asked): Html {
  if (clientId === webClient.id) return html`<strong>This server</strong>, for its own pages,`
  const host = hostOf(clientId)
  if (host) return html`The application at <strong>${host}</strong>`
  if (owner) return html`An application registered here by <strong>@${owner}</strong>`
  return html`An application that <strong>nobody vouches for</strong>`
}

/** The sentence that says where an application runs. */
function placeOf({ clientId, redirectUri }: Asked): Html | undefined {
  if (clientId === webClient.id) return undefined
  if (!redirectUri)
    return html`<p>It runs on <strong>another device</strong>, which showed you a code. Whoever holds that device will use your account, so allow this only if you started it there yourself.</p>`
  return html`<p>It gets the answer at <strong>${leadsTo(redirectUri)}</strong>.</p>`
}

const scopeBox = (scope: Scope) =>
  html`<label><input type="checkbox" name="scope" value="${scope}"${startsCleared(scope) ? undefined : html` checked`}> ${scopeSentences[scope]}</label>`

/** The scopes of one group. Styles show whether some, all or none are ticked. */
const scopeGroup = ({ title, scopes }: { readonly title: string; readonly scopes: readonly Scope[] }) =>
  scopes.length === 1
    ? scopes.map(scopeBox)
    : html`<details><summary>${title}</summary>${scopes.map(scopeBox)}</details>`

/** The form with what an application asks for, in groups to open. */
export function consentPage(asked: Asked): FormPage {
  const groups = scopeGroups
    .map(({ title, scopes }) => ({
      title,
      scopes: asked.scopes.filter((scope) => [...scopes].some((it) => it === scope)),
    }))
    .filter(({ scopes }) => scopes.length > 0)
  return {
    title: `Connect ${asked.name}?`,
    body: html`<p>${voucher(asked)} wants to use your account <strong>@${asked.username}</strong>.</p>
${placeOf(asked)}
<form method="post" action="${asked.action}">
<fieldset class="scopes"><legend>What it may do:</legend>
${groups.flatMap(scopeGroup)}
</fieldset>
${asked.scopes.some(startsCleared) ? html`<p class="quiet">Permissions to delete things or to manage your account are off until you tick them.</p>` : undefined}
${problemText(asked.problem)}
<p class="buttons"><button name="answer" value="allow">Allow</button> <button class="secondary" name="answer" value="deny">Refuse</button>
${asked.canSwitch ? html`<button class="secondary" name="answer" value="switch">Use another account</button>` : undefined}</p>
</form>`,
    leadsOn: true,
    status: asked.problem ? 422 : 200,
  }
}

/** Where a redirect URI leads, for people. */
function leadsTo(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  if (isLoopbackHost(host)) return 'this device'
  return protocol === 'https:' ? host : `the program for ${protocol}`
}

/** The page where somebody has signed in in two tabs as two accounts. */
export const choicePage = (action: string, here: string, entered: string): FormPage => ({
  title: `You are signed in as @${here} here`,
  body: html`<p>You have since signed in to another account in another tab. Which account should the application use?</p>
<form method="post" action="${action}">
<p><button name="account" value="here">Go on as @${here}</button></p>
<p><button class="secondary" name="account" value="entered">Sign out, and go on as @${entered}</button></p>
</form>`,
  leadsOn: true,
})

/** A page with a message and no form. */
export const messagePage = (title: string, text: string, status = 200): FormPage => ({
  title,
  body: html`<p>${text}</p>`,
  status,
})

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

const date = (time: Date) => html`<time datetime="${time.toISOString()}">${dayOf(time)}</time>`

const connectedItem = ({ id, application, scopes, createdAt, lastUsedAt }: ListedAuthorization) => html`<li>
<p>Connected since ${date(createdAt)}, ${lastUsedAt ? html`last used ${date(lastUsedAt)}` : 'never used'}.</p>
<details><summary>What it may do</summary><ul>${scopes.filter(isScope).map((scope) => html`<li>${scopeSentences[scope]}</li>`)}</ul></details>
<form method="post" action="/oauth/connections"><button class="secondary" name="disconnect" value="${id}" aria-label="Disconnect ${application.name}, ${lastUsedAt ? `last used ${dayOf(lastUsedAt)}` : 'never used'}">Disconnect</button></form>
</li>`

/** An application with its authorizations, such as one for each device. */
const connectedApplication = (
  { id, name, clientId }: ListedAuthorization['application'],
  all: readonly ListedAuthorization[],
) => html`<li>
<h2>${name}</h2>
<p>${hostOf(clientId ?? '')}</p>
<ul>${all.map(connectedItem)}</ul>
${all.length > 1 ? html`<form method="post" action="/oauth/connections"><button class="secondary" name="disconnect-all" value="${id}" aria-label="Disconnect ${name} everywhere">Disconnect everywhere</button></form>` : undefined}
</li>`

export function connectionsPage(username: string, connected: readonly ListedAuthorization[]): FormPage {
  const applications = new Map(connected.map(({ application }) => [application.id, application]))
  const items = [...applications.values()].map((application) =>
    connectedApplication(
      application,
      connected.filter(({ applicationId }) => applicationId === application.id),
    ),
  )
  return {
    title: 'Connected applications',
    body: html`<p>These applications can use your account <strong>@${username}</strong>, on each device and in each browser where you allowed it. Disconnecting one ends its access at once.</p>
${items.length > 0 ? html`<ul>${items}</ul>` : html`<p>There are none.</p>`}
<form method="post" action="/oauth/connections"><p><button class="secondary" name="sign-out" value="yes">Sign out</button></p></form>`,
  }
}
