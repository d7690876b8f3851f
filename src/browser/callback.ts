import './page.css'
import { byId, messageOf } from './dom.ts'
import { finishSignIn } from './sign-in.ts'

type Swagger = {
  readonly auth: object
  readonly state: string
  readonly redirectUrl: string
  readonly callback: (answer: object) => void
  readonly errCb: (error: object) => void
}

/** The window that Swagger UI has opened this one from, if it did. */
const opener: (Window & { readonly swaggerUIRedirectOauth2?: Swagger }) | null = window.opener

const answer = new URLSearchParams(location.search)
// The code is used once, and need not stay in the address.
history.replaceState(null, '', location.pathname)

/** Hands the answer to the REST docs. */
function answerTo({ auth, state, redirectUrl, callback, errCb }: Swagger): void {
  const code = answer.get('code')
  if (code !== null && answer.get('state') === state) callback({ auth: { ...auth, code }, redirectUrl })
  else errCb({ authId: 'oauth', source: 'auth', level: 'error', message: answer.get('error_description') ?? 'refused' })
  close()
}

const swagger = opener?.swaggerUIRedirectOauth2
if (swagger) answerTo(swagger)
else
  finishSignIn(answer).then(
    (page) => location.replace(page),
    (error) => {
      byId('said').textContent = messageOf(error)
    },
  )
