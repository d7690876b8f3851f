import type { errors, KoaContextWithOIDC } from 'oidc-provider'
import { invalid } from '../../../engine/errors.ts'
import { html } from '../../../engine/http/html.ts'
import type { HttpResponse } from '../../../engine/http/response.ts'
import { hostOf, nameOfClient } from '../clients.ts'
import { formSecret } from './browser.ts'
import { formMarkup, hiddenFields, type Problem, problemIn } from './form.ts'
import { type FormPage, messagePage } from './form-pages.ts'

/** Makes the response with a page. */
export type Render = (page: FormPage) => Promise<HttpResponse>

const metadataOf = (client: { metadata(): object }) => ({ client_id: '', ...client.metadata() })

/** The host that vouches for a client, if there is one. */
function hostText({ client_id }: { readonly client_id: string }) {
  const host = hostOf(client_id)
  return host && html` at <strong>${host}</strong>`
}

const unusable = invalid({ field: 'user_code', message: 'is wrong, has expired or has already been used' })

/** What explains why a user code was not accepted. */
const problemOf = ({ name }: Error): Problem =>
  name === 'AbortedError' ? { message: 'You denied the request. You can close this page.' } : problemIn(unusable)

/** The page on which somebody enters the code of a device, which a link may have filled in. */
export function codePage(code = '', problem?: Problem): FormPage {
  const attributes = html`autocomplete="off" autocapitalize="characters" maxlength="20"`
  const field = { name: 'user_code', label: 'Code on your device', value: code, attributes, isRequired: true }
  const hidden = { xsrf: formSecret() }
  return {
    title: 'Connect a device',
    body: formMarkup({ action: '/oauth/device', problem, hidden, parts: [field], button: 'Continue' }),
  }
}

/** The pages that the authorization server shows by itself, while somebody connects a device (RFC 8628, section 3.3). */
export function devicePages(render: Render) {
  const show = async (ctx: KoaContextWithOIDC, page: FormPage) => {
    const { status, headers, body } = await render(page)
    ctx.set({ ...headers })
    // A page after an error keeps the status of the error.
    if (ctx.status < 400) ctx.status = status
    ctx.body = body
  }
  return {
    enterCode: (ctx: KoaContextWithOIDC, _form: string, _out?: unknown, error?: Error) =>
      show(ctx, codePage('', error && problemOf(error))),
    confirmCode: (
      ctx: KoaContextWithOIDC,
      _form: string,
      client: { metadata(): object },
      _info: unknown,
      code: string,
    ) =>
      show(ctx, {
        title: 'Is this the code on your device?',
        body: html`<p><strong>${code}</strong>, to connect ${nameOfClient(metadataOf(client))}${hostText(metadataOf(client))}.</p>
<p>Continue only if you started this yourself, on a device that you have at hand. If somebody sent you this code, they are
  trying to get into your account.</p>
<form method="post" action="/oauth/device">${hiddenFields({ xsrf: formSecret(), user_code: code })}
<p><button name="confirm" value="yes">Yes</button> <button class="secondary" name="abort" value="yes">No</button></p></form>`,
      }),
    connected: (ctx: KoaContextWithOIDC) =>
      show(ctx, messagePage('Your device is connected', 'Close this page and go back to your device.')),
    failed: (
      ctx: KoaContextWithOIDC,
      out: { error: string; error_description?: string | undefined },
      _error: errors.OIDCProviderError | Error,
    ) =>
      show(
        ctx,
        messagePage('Something went wrong', [out.error_description, `(${out.error})`].filter(Boolean).join(' ')),
      ),
  }
}

export type DevicePages = ReturnType<typeof devicePages>
