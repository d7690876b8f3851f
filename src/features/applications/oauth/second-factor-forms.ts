import { Html, html } from '../../../engine/http/html.ts'
import type { AuthenticatorSetup } from '../../accounts/second-factor/authenticators.ts'
import type { ListedPasskey, PasskeyRequest } from '../../accounts/second-factor/passkey-changes.ts'
import { nameBounds, passwordBounds } from '../../base/bounds.ts'
import { codeField, type FormPage, passkeyForm, problemText, shortDate } from './form-pages.ts'

/** The page of the second factor, to which all its forms are sent. */
export const path = '/oauth/second-factor'

const passwordField = html`<p><label>Password <input type="password" name="password" autocomplete="current-password"
  maxlength="${String(passwordBounds.max)}" required></label></p>`

/** The size of a QR code on a page. */
const sized = (qrCode: string) =>
  new Html(qrCode.replace('<svg ', '<svg width="240" height="240" role="img" aria-label="QR code" '))

/** The page on which somebody sets up an authenticator app. */
export const setupPage = ({ secret, url, qrCode }: AuthenticatorSetup, problem?: string): FormPage => ({
  title: 'Set up a second factor',
  body: html`<p>With a second factor, signing in needs a code of an authenticator app besides your password.</p>
<p>Scan this code with the app, <a href="${url}">open the app on this device</a>, or type in the key:</p>
<p>${sized(qrCode)}</p>
<p><code>${secret.replaceAll(/(?!^)(?=(?:.{4})+$)/g, ' ')}</code></p>
<form method="post" action="${path}"><input type="hidden" name="secret" value="${secret}">
${codeField}
${passwordField}
${problemText(problem)}
<p><button>Turn on</button></p></form>`,
  status: problem ? 422 : 200,
})

/** The page with the recovery codes, which are shown only once. */
export const recoveryPage = (codes: readonly string[]): FormPage => ({
  title: 'Keep these recovery codes',
  body: html`<p>The second factor is on. These are its only recovery codes: if you lose the app, each signs you in once. They are not
  shown again, so print them, or store them in a safe place.</p>
<ul>${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="${path}">Done</a></p>`,
})

const passkeyItem = ({ id, name, createdAt, lastUsedAt }: ListedPasskey) => html`<li>
<p><strong>${name}</strong>, added ${shortDate(createdAt)}, ${lastUsedAt ? html`last used ${shortDate(lastUsedAt)}` : 'never used'}</p>
<button class="secondary" name="passkey" value="${id}" aria-label="Remove the passkey ${name}">Remove</button></li>`

/** The second factor of an account. */
type Factor = {
  readonly recoveryCodes: number
  readonly passkeys: readonly ListedPasskey[]
  /** Whether this server can have passkeys. */
  readonly takesPasskeys: boolean
}

/** The page on which somebody changes or removes the second factor: the password and a code confirm all that it can do. */
export const changePage = (
  { recoveryCodes, passkeys, takesPasskeys }: Factor,
  { name = '', problem }: { readonly name?: string; readonly problem?: string | undefined } = {},
): FormPage => ({
  title: 'Your second factor',
  body: html`<p>Signing in needs a code of your authenticator app or a recovery code${takesPasskeys ? ', or a passkey' : undefined}.
  To change something, enter a code and your password first.</p>
<form method="post" action="${path}">
${codeField}
${passwordField}
${problemText(problem)}
${
  takesPasskeys
    ? html`<h2>Passkeys</h2>
<p class="quiet">A passkey is a security key, or your phone or computer, which you unlock.</p>
<p><label>Name of a new passkey <input name="name" value="${name}" autocomplete="off" maxlength="${String(nameBounds.max)}"></label></p>
<p><button name="action" value="begin">Add a passkey</button></p>`
    : undefined
}
${passkeys.length > 0 ? html`<ul>${passkeys.map(passkeyItem)}</ul>` : undefined}
<h2>Recovery codes</h2>
<p class="quiet">Recovery codes left: ${String(recoveryCodes)}.</p>
<p><button class="secondary" name="action" value="renew">Make new recovery codes</button></p>
<h2>Turn off</h2>
<p class="quiet">To use another app, turn the second factor off, and set it up again.</p>
<p><button class="secondary" name="action" value="remove">Turn off</button></p></form>`,
  status: problem ? 422 : 200,
})

/** The page on which an authenticator makes a passkey. */
export const passkeyPage = ({ name, challenge, options }: PasskeyRequest): FormPage => ({
  title: 'Add a passkey',
  body: html`<p>Your browser asks you where to keep the passkey <strong>${name}</strong>, and to unlock the device.</p>
<p id="no-passkeys">This browser has no passkeys, or scripts are turned off.</p>
${passkeyForm(path, { action: 'add', name, challenge }, { create: options }, 'Continue')}
<p><a href="${path}">Cancel</a></p>`,
  hasPasskey: true,
})
