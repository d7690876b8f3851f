import './page.css'
import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'
import { attempt, byId } from './dom.ts'

/** What the server asks for: that an authenticator makes a passkey, or uses one. */
type Asked =
  | { readonly create: PublicKeyCredentialCreationOptionsJSON }
  | { readonly get: PublicKeyCredentialRequestOptionsJSON }

const form = byId('passkey', HTMLFormElement)
const asked: Asked = JSON.parse(form.dataset.options ?? '{}')

/** What to do about the errors that people meet (WebAuthn, section 6.3). */
const advice: Readonly<Record<string, string>> = {
  NotAllowedError: 'It was cancelled, or took too long. Try again.',
  InvalidStateError: 'This device already has a passkey of your account.',
}

/** What an authenticator answers, as short as the server needs it. */
async function answer(): Promise<object> {
  if ('get' in asked) {
    const { id, response } = await startAuthentication({ optionsJSON: asked.get })
    const { clientDataJSON, authenticatorData, signature } = response
    return { id, response: { clientDataJSON, authenticatorData, signature } }
  }
  const { id, response } = await startRegistration({ optionsJSON: asked.create })
  const { clientDataJSON, attestationObject, transports } = response
  return { id, response: { clientDataJSON, attestationObject, transports } }
}

const button = form.querySelector('button')
const field = form.elements.namedItem('credential')
if (browserSupportsWebAuthn() && button && field instanceof HTMLInputElement) {
  form.hidden = false
  document.getElementById('no-passkeys')?.remove()
  // Who has entered a wrong code enters another one.
  if (!document.querySelector('[role="alert"]')) button.focus()
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    attempt(button, async () => {
      try {
        field.value = JSON.stringify(await answer())
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
        throw new Error((cause instanceof Error && advice[cause.name]) || String(error))
      }
      form.submit()
    })
  })
}
