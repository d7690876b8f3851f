import { counted } from '../../../engine/counted.ts'
import { Html, html } from '../../../engine/http/html.ts'
import type { AuthenticatorSetup } from '../../accounts/second-factor/authenticators.ts'
import type { ListedPasskey, PasskeyRequest } from '../../accounts/second-factor/passkey-changes.ts'
import { nameBounds } from '../../base/bounds.ts'
import { formMarkup, type Problem } from './form.ts'
import { type FormPage, passkeyForm, passwordField, requiredCode, shortDate } from './form-pages.ts'

/** The page of the second factor, to which all its forms are sent. */
export const path = '/oauth/second-factor'

/** The size of a QR code on a page. */
const sized = (qrCode: string) =>
  new Html(qrCode.replace('<svg ', '<svg width="240" height="240" role="img" aria-label="QR code" '))

/** The page on which somebody sets up an authenticator app. */
export const setupPage = ({ secret, url, qrCode }: AuthenticatorSetup, problem: Problem = {}): FormPage => ({
  title: 'Set up a second factor',
  body: html`<p>With a second factor, signing in needs a code of an authenticator app besides your password.</p>
<p>Scan this code with the app, <a href="${url}">open the app on this device</a>, or type in the key:</p>
<p>${sized(qrCode)}</p>
<p><code>${secret.replaceAll(/(?!^)(?=(?:.{4})+$)/g, ' ')}</code></p>
${formMarkup({ ...problem, action: path, hidden: { secret }, parts: [requiredCode, passwordField], button: 'Turn on' })}`,
  status: problem.problem ? 422 : 200,
})

/** The page with the recovery codes, which are shown only once. */
export const recoveryPage = (codes: readonly string[]): FormPage => ({
  title: 'Keep these recovery codes',
  body: html`<p>The second factor is on. These are its only recovery codes: if you lose the app, each signs you in once. They are not
  shown again, so print them, or store them in a safe place.</p>
<ul>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="${path}">Done</a></p>`,
})

/** The second factor of an account. */
type Factor = {
  readonly recoveryCodes: number
  readonly passkeys: readonly ListedPasskey[]
  /** Whether this server can have passkeys. */
  readonly takesPasskeys: boolean
}

/** What somebody has selected and entered to change a second factor, and what is wrong with it. */
type EnteredChange = Problem & { readonly action?: string; readonly name?: string }

/** The page on which somebody changes or removes the second factor: the password and a code confirm all that it can do. */
export function changePage(
  { recoveryCodes, passkeys, takesPasskeys }: Factor,
  { action, name = '', ...problem }: EnteredChange = {},
): FormPage {
  const choice = (value: string, what: Html | string) =>
    html`<label><input type="radio" name="action" value="${value}"${value === action ? ' checked' : undefined} required>
  <span>${what}</span></label>`
  const nameField = {
    name: 'name',
    label: 'Name of the new passkey',
    value: name,
    attributes: html`autocomplete="off" maxlength="${String(nameBounds.max)}"`,
  }
  const choices = [
    takesPasskeys && choice('begin', 'Add a passkey: a security key, or your phone or computer, which you unlock'),
    ...passkeys.map(({ id, name, createdAt, lastUsedAt }) =>
      choice(
        id,
        html`Remove the passkey <strong>${name}</strong>, added ${shortDate(createdAt)},
    ${lastUsedAt ? html`last used ${shortDate(lastUsedAt)}` : 'never used'}`,
      ),
    ),
    choice('renew', `Make new recovery codes: ${counted(recoveryCodes, 'code')} left`),
    choice('remove', 'Turn off, for example to set up another app'),
  ].filter((it) => it !== false)
  return {
    title: 'Your second factor',
    body: html`<p>Signing in needs a code of your authenticator app or a recovery code${
      takesPasskeys ? ', or a passkey' : undefined
    }.</p>
${formMarkup({
  ...problem,
  action: path,
  readsFirst: true,
  parts: [
    html`<fieldset class="choices"><legend>What do you want to do?</legend>${choices}</fieldset>`,
    ...(takesPasskeys ? [nameField] : []),
    requiredCode,
    passwordField,
  ],
  button: 'Continue',
})}`,
    status: problem.problem ? 422 : 200,
  }
}

/** The page on which an authenticator makes a passkey. */
export const passkeyPage = ({ name, challenge, options }: PasskeyRequest): FormPage => ({
  title: 'Add a passkey',
  body: html`<p>Your browser asks you where to keep the passkey <strong>${name}</strong>, and to unlock the device.</p>
<p id="no-passkeys">This browser has no passkeys, or scripts are turned off.</p>
${passkeyForm(path, { action: 'add', name, challenge }, { create: options }, 'Continue')}
<p><a href="${path}">Cancel</a></p>`,
  hasPasskey: true,
})
