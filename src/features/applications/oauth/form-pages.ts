import { type Html, html } from '../../../engine/http/html.ts'
import { isLoopback } from '../../../engine/http/origin.ts'
import type { Scope } from '../../../engine/scopes.ts'
import type { Admission } from '../../accounts/admission.ts'
import { passwordBounds, signUpReasonBounds } from '../../base/bounds.ts'
import { isScope, scopeFacts, scopeGroups } from '../../base/scopes.ts'
import type { ListedAuthorization } from '../authorizations.ts'
import { hostOf } from '../clients.ts'
import { formMarkup, hiddenFields, type Problem, problemText } from './form.ts'
import { webClient } from './web-client.ts'

/** A page with forms, which works without scripts, except for passkeys. */
export type FormPage = {
  readonly title: string
  readonly body: Html
  /** Whether it has a form for a passkey, which needs a script. */
  readonly hasPasskey?: boolean
  /** Whether its forms may lead to an application. */
  readonly leadsOn?: boolean
  readonly status?: number
  /** After how many seconds to try again. */
  readonly retryAfter?: number | undefined
}

/** How a page is answered that may have a problem. */
export const answerOf = (problem: Problem | undefined): Pick<FormPage, 'status' | 'retryAfter'> => {
  if (!problem) return { status: 200 }
  const { retryAfter } = problem
  return { status: retryAfter === undefined ? 422 : 429, retryAfter }
}

/** What a form shows again: a problem, and what was entered. */
export type Entered = {
  readonly problem?: Problem | undefined
  readonly username?: string
  readonly email?: string
  readonly reason?: string
  readonly invitation?: string
}

/** What the page to sign in offers besides. */
type SignInOptions = Entered & {
  readonly action: string
  readonly signUp?: string | undefined
  readonly hasMail: boolean
  readonly leadsOn?: boolean
}

/** The name of an account, which some people enter with an `@`. */
const usernameField = (value: string | undefined, longest: number) => ({
  name: 'username',
  label: 'Username',
  value: value ?? '',
  attributes: html`autocomplete="username" autocapitalize="none" maxlength="${String(longest)}"`,
  isRequired: true,
})

/** The password that an account has. */
export const passwordField = {
  name: 'password',
  label: 'Password',
  attributes: html`type="password" autocomplete="current-password" maxlength="${String(passwordBounds.max)}"`,
  isRequired: true,
}

/** The password that an account will have. */
export const newPasswordField = (label: string) => ({
  name: 'password',
  label,
  attributes: html`type="password" autocomplete="new-password" minlength="${String(passwordBounds.min)}"
  maxlength="${String(passwordBounds.max)}"`,
  isRequired: true,
})

/** An e-mail address. */
export const emailField = (value = '') => ({
  name: 'email',
  label: 'E-mail address',
  value,
  attributes: html`type="email" autocomplete="email" maxlength="254"`,
  isRequired: true,
})

/** A code of an authenticator app, or a recovery code. */
export const codeField = {
  name: 'code',
  label: 'Code',
  attributes: html`autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40"`,
  isRequired: true,
}

export const signInPage = ({ signUp, hasMail, leadsOn = false, username, ...rest }: SignInOptions): FormPage => ({
  title: 'Sign in',
  body: html`${formMarkup({ ...rest, parts: [usernameField(username, 40), passwordField], button: 'Sign in' })}
${hasMail ? html`<p><a href="/reset">Forgot your password?</a></p>` : undefined}
${signUp ? html`<p>New here? <a href="${signUp}">Sign up</a></p>` : undefined}`,
  leadsOn,
  ...answerOf(rest.problem),
})

/** The forms with the code or passkey that follows the password, and the challenge that it answers. */
type ProofOptions = {
  readonly action: string
  readonly problem?: Problem | undefined
  readonly challenge: string
  /** What a browser needs to know to use a passkey; undefined if there is none. */
  readonly passkey?: object | undefined
  readonly leadsOn?: boolean
}

/** A form that sends what an authenticator answers. A script makes it visible where the browser has passkeys. */
export const passkeyForm = (
  action: string,
  fields: Readonly<Record<string, string>>,
  options: { readonly get: object } | { readonly create: object },
  button: string,
) => html`<form method="post" action="${action}" id="passkey" data-options="${JSON.stringify(options)}" hidden>
${hiddenFields(fields)}
<input type="hidden" name="credential">
<p><button>${button}</button></p></form>`

/** The page that asks for the second factor of an account whose password was right. */
export const secondFactorPage = ({ challenge, passkey, leadsOn = false, ...rest }: ProofOptions): FormPage => ({
  title: passkey ? 'Confirm that it is you' : 'Enter a code',
  body: html`${passkey && passkeyForm(rest.action, { challenge }, { get: passkey }, 'Use a passkey')}
<p>Enter the code that your authenticator app shows, or one of your recovery codes.</p>
${formMarkup({
  ...rest,
  hidden: { challenge },
  parts: [codeField],
  button: 'Sign in',
  isSecondary: passkey !== undefined,
})}`,
  hasPasskey: passkey !== undefined,
  leadsOn,
  ...answerOf(rest.problem),
})

/** Where the form to sign up is sent, where people sign in instead, and whom the server admits. */
type SignUpOptions = {
  readonly action: string
  readonly signIn: string
  readonly mode: Admission['signUp']
  readonly leadsOn?: boolean
}

/**
 * What people are asked who join, besides what everybody is: for their invitation, or without one that can be used, why they want
 * to join.
 */
function admissionFields(mode: Admission['signUp'], { reason = '', invitation = '', problem }: Entered) {
  if (mode === 'open' && invitation === '') return []
  const isRefused = invitation !== '' && problem?.errors?.some(({ field }) => field === 'invitation') === true
  const asksWhy = mode === 'approval' && (invitation === '' || reason !== '' || isRefused)
  const reasonField = {
    name: 'reason',
    label: 'Why do you want to join?',
    value: reason,
    rows: 4,
    attributes: html`maxlength="${String(signUpReasonBounds.max)}"`,
  }
  const explanation = html`<p class="quiet">A moderator reads this, and then approves or rejects your account. With an invitation,
  you need no reason.${isRefused ? ' To ask without one, clear its field.' : undefined}</p>`
  const invitationField = {
    name: 'invitation',
    label: asksWhy ? 'Invitation, if you have one' : 'Invitation',
    value: invitation,
    attributes: html`autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="500"`,
    isRequired: mode === 'invitation',
  }
  return asksWhy ? [reasonField, explanation, invitationField] : [invitationField]
}

export const signUpPage = ({ action, signIn, mode, leadsOn = false }: SignUpOptions, entered: Entered): FormPage => ({
  title: 'Sign up',
  body: html`${formMarkup({
    action,
    parts: [
      usernameField(entered.username, 30),
      emailField(entered.email),
      newPasswordField('Password'),
      ...admissionFields(mode, entered),
    ],
    button: 'Sign up',
    problem: entered.problem,
  })}
<p>Already have an account? <a href="${signIn}">Sign in</a></p>`,
  leadsOn,
  ...answerOf(entered.problem),
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
  /** Whether it also asks to moderate, which the account cannot allow. */
  readonly asksToModerate: boolean
  readonly redirectUri?: string | undefined
  readonly canSwitch: boolean
  readonly problem?: Problem | undefined
}

/** The sentence that says who vouches for the name of an application. */
function voucher({ clientId, owner }: Asked): Html {
  if (clientId === webClient.id) return html`A page of <strong>this server</strong>`
  const host = hostOf(clientId)
  if (host) return html`The application at <strong>${host}</strong>`
  if (owner) return html`An application registered here by <strong>@${owner}</strong>`
  return html`An <strong>unverified application</strong>`
}

/** The sentence that says where an application runs. */
function placeOf({ clientId, redirectUri }: Asked): Html | undefined {
  if (clientId === webClient.id) return undefined
  if (!redirectUri)
    return html`<p>It runs on <strong>another device</strong>, which showed you a code. Whoever has that device can then use your
      account. Continue only if you started this there yourself.</p>`
  return html`<p>After this, you return to <strong>${leadsTo(redirectUri)}</strong>.</p>`
}

const scopeBox = (scope: Scope) =>
  html`<label><input type="checkbox" name="scope" value="${scope}"${scopeFacts[scope].startsCleared ? undefined : html` checked`}>
    ${scopeFacts[scope].sentence}</label>`

/** Scopes that a page shows together. */
type ScopeGroup = { readonly title: string; readonly scopes: readonly Scope[] }

/** The scopes of one group. Styles show whether some, all or none are ticked. */
const scopeGroup = ({ title, scopes }: ScopeGroup) =>
  scopes.length === 1
    ? scopes.map(scopeBox)
    : html`<details><summary>${title}</summary>${scopes.map(scopeBox)}</details>`

/** The scopes to select, in groups to open. */
const scopeFields = (groups: readonly ScopeGroup[]) => html`<fieldset class="scopes"><legend>Allow it to:</legend>
${groups.flatMap(scopeGroup)}
</fieldset>
<p class="quiet">Clear what it should not be allowed to do.${
  groups.some(({ scopes }) => scopes.some((scope) => scopeFacts[scope].startsCleared))
    ? ' Permissions to delete things or to manage your account are off until you select them.'
    : undefined
}</p>`

/** The form with what an application asks for. */
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
${
  asked.asksToModerate
    ? html`<p>It asks to <strong>moderate this network</strong>, but your account <strong>@${asked.username}</strong> is no moderator, so
      you cannot allow that.</p>`
    : undefined
}
<form method="post" action="${asked.action}">
${groups.length > 0 ? scopeFields(groups) : undefined}
${problemText(asked.problem?.message)}
<p class="buttons">${groups.length > 0 ? html`<button name="answer" value="allow">Allow</button>` : undefined}
<button class="secondary" name="answer" value="deny">Deny</button>
${asked.canSwitch ? html`<button class="secondary" name="answer" value="switch">Use another account</button>` : undefined}</p>
</form>`,
    leadsOn: true,
    ...answerOf(asked.problem),
  }
}

/** Where a redirect URI leads, for people. */
function leadsTo(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  if (isLoopback(host)) return 'a program on this device'
  return protocol === 'https:' ? host : `the app that opens ${protocol} links`
}

/** The page where somebody has signed in in two tabs as two accounts. */
export const choicePage = (action: string, here: string, entered: string): FormPage => ({
  title: 'Choose an account',
  body: html`<p>You signed in as <strong>@${entered}</strong> here, and as <strong>@${here}</strong> in another tab. Which
  account should the application use?</p>
<form method="post" action="${action}">
<p><button name="account" value="here">Continue as @${here}</button></p>
<p><button class="secondary" name="account" value="entered">Sign out, and continue as @${entered}</button></p>
</form>`,
  leadsOn: true,
})

/** A page with a message and no form. */
export const messagePage = (title: string, text: Html | string, status = 200): FormPage => ({
  title,
  body: html`<p>${text}</p>`,
  status,
})

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

/** The day of a time. */
export const shortDate = (time: Date): Html => html`<time datetime="${time.toISOString()}">${dayOf(time)}</time>`

const connectedItem = ({ id, application, scopes, createdAt, lastUsedAt }: ListedAuthorization) => html`<li>
<p>Connected since ${shortDate(createdAt)}, ${lastUsedAt ? html`last used ${shortDate(lastUsedAt)}` : 'never used'}.</p>
<details><summary>Permissions</summary><ul>
  ${scopes.filter(isScope).map((scope) => html`<li>${scopeFacts[scope].sentence}</li>`)}</ul></details>
<form method="post" action="/oauth/connections"><button class="secondary" name="disconnect" value="${id}"
  aria-label="Disconnect ${application.name}, ${lastUsedAt ? `last used ${dayOf(lastUsedAt)}` : 'never used'}">Disconnect</button></form>
</li>`

/** An application with its authorizations, such as one for each device. */
const connectedApplication = (
  { id, name, clientId }: ListedAuthorization['application'],
  all: readonly ListedAuthorization[],
) => html`<li>
<h2>${name}</h2>
<p>${hostOf(clientId ?? '')}</p>
<ul>${all.map(connectedItem)}</ul>
${
  all.length > 1
    ? html`<form method="post" action="/oauth/connections">
  <button class="secondary" name="disconnect-all" value="${id}" aria-label="Disconnect ${name} everywhere">Disconnect
    everywhere</button></form>`
    : undefined
}
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
    body: html`<p>These applications can use your account <strong>@${username}</strong>, each on the devices and in the browsers
      where you allowed it. An application that you disconnect loses its access at once.</p>
${items.length > 0 ? html`<ul>${items}</ul>` : html`<p>No application is connected.</p>`}
<p><a href="/oauth/second-factor">Second factor</a></p>
<form method="post" action="/oauth/connections"><p><button class="secondary" name="sign-out" value="yes">Sign out</button></p></form>`,
  }
}
