import { z } from 'zod'
import { Html, html } from '../../../engine/http/html.ts'
import type { AuthenticatorSetup } from '../../accounts/second-factor/authenticators.ts'
import type { ListedPasskey, PasskeyRequest } from '../../accounts/second-factor/passkey-changes.ts'
import { nameBounds } from '../../base/bounds.ts'
import { formMarkup, type Problem } from './form.ts'
import { answerOf, codeField, type FormPage, passkeyForm, passwordField, shortDate } from './form-pages.ts'

/** The page of the second factor, to which all its forms are sent. */
export const path = '/oauth/second-factor'

const actions = z.enum(['set', 'renew', 'remove', 'begin', 'add', 'remove-passkey'])
const removalOf = (passkey: string) => `remove-passkey:${passkey}`

/** What a choice in a form says: what to do, and after a colon the passkey that it is about. */
export function readChoice(choice: string) {
  const [action, passkey = ''] = choice.split(':')
  return { action: actions.safeParse(action).data, passkey }
}

/** The size of a QR code on a page. */
const sized = (qrCode: string) =>
  new Html(qrCode.replace('<svg ', '<svg width="240" height="240" role="img" aria-label="QR code" '))

/** The page on which somebody sets up an authenticator app. */
export const setupPage = ({ secret, url, qrCode }: AuthenticatorSetup, problem?: Problem): FormPage => ({
  title: 'Set up a second factor',
  body: html`<p>With a second factor, signing in needs a code from an authenticator app besides your password.</p>
<p>Scan this code with the app, <a href="${url}">open the app on this device</a>, or type in the key:</p>
<p>${sized(qrCode)}</p>
<p><code>${secret.replaceAll(/(?!^)(?=(?:.{4})+$)/g, ' ')}</code></p>
${formMarkup({
  action: path,
  problem,
  hidden: { action: 'set', secret },
  parts: [codeField, passwordField],
  button: 'Turn on',
})}`,
  ...answerOf(problem),
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

/** What somebody has chosen and entered to change a second factor, and what is wrong with it. */
type EnteredChange = { readonly choice?: string; readonly name?: string; readonly problem?: Problem | undefined }

/** The page on which somebody changes or removes the second factor: the password and a code confirm all that it can do. */
export function changePage(
  { recoveryCodes, passkeys, takesPasskeys }: Factor,
  { choice: chosen, name = '', problem }: EnteredChange = {},
): FormPage {
  const choice = (value: string, what: Html | string) =>
    html`<label><input type="radio" name="action" value="${value}"${value === chosen ? ' checked' : undefined} required>
  <span>${what}</span></label>`
  const nameField = {
    name: 'name',
    label: 'Name of the new passkey',
    value: name,
    attributes: html`autocomplete="off" maxlength="${String(nameBounds.max)}"`,
  }
  const choices = [
    takesPasskeys && choice('begin', 'Add a passkey: use a security key, or unlock your phone or computer'),
    ...passkeys.map(({ id, name, createdAt, lastUsedAt }) =>
      choice(
        removalOf(id),
        html`Remove the passkey <strong>${name}</strong>, added ${shortDate(createdAt)},
    ${lastUsedAt ? html`last used ${shortDate(lastUsedAt)}` : 'never used'}`,
      ),
    ),
    choice('renew', `Make new recovery codes (${recoveryCodes} left)`),
    choice('remove', 'Turn off the second factor, for example to set up another app'),
  ].filter((it) => it !== false)
  return {
    title: 'Your second factor',
    body: html`<p>To sign in, you need a code from your authenticator app${
      takesPasskeys ? ', a recovery code, or a passkey' : ' or a recovery code'
    }.</p>
${formMarkup({
  action: path,
  problem,
  hasNoFocus: true,
  parts: [
    html`<fieldset class="choices"><legend>What do you want to do?</legend>${choices}</fieldset>`,
    ...(takesPasskeys ? [nameField] : []),
    codeField,
    passwordField,
  ],
  button: 'Continue',
})}`,
    ...answerOf(problem),
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
