import './page.css'
import './bar.css'
import { byId } from './element.ts'
import { graphql, Refused, run } from './graphql.ts'
import { authorization, currentToken, isDemo, options, setToken } from './session.ts'

const viewer = graphql('query Viewer { viewer { username } }')
const signIn = graphql('mutation SignIn($input: SignInInput!) { signIn(input: $input) { token } }')
const signUp = graphql('mutation SignUp($input: SignUpInput!) { signUp(input: $input) { token } }')

const input = (id: string) => byId(id, HTMLInputElement)
const button = (id: string) => byId(id, HTMLButtonElement)
const who = byId('who', HTMLOutputElement)
const dialog = byId('account', HTMLDialogElement)

/** Shows which token is in use, and whose it is. */
async function show(): Promise<void> {
  const token = currentToken()
  const field = input('token')
  if (field.value !== token) field.value = token
  for (const id of ['copy', 'forget']) button(id).hidden = token === ''
  for (const id of ['sign-in', 'sign-up']) button(id).hidden = token !== ''
  button('demo').hidden = options.token === undefined || isDemo()
  who.value = token === '' ? 'Not signed in' : '…'
  if (token === '') return
  const text = await describe()
  if (token === currentToken()) who.value = text
}

/** Describes the token in use. */
async function describe(): Promise<string> {
  if (!authorization().Authorization) return 'Not a token: requests are sent without one'
  try {
    const { viewer: user } = await run(viewer, {})
    return `Signed in as @${user?.username}${isDemo() ? ' (demo)' : ''}`
  } catch (error) {
    if (!(error instanceof Refused)) return 'The server cannot be reached'
    return error.code === 'INSUFFICIENT_SCOPE' ? 'Signed in with a limited token' : error.message
  }
}

/** Opens the form to sign in, or to sign up. */
function open(isNew: boolean): void {
  const title = isNew ? 'Sign up' : 'Sign in'
  byId('account-title', HTMLElement).textContent = button('account-submit').textContent = title
  input('email').disabled = byId('email-label', HTMLElement).hidden = !isNew
  input('password').autocomplete = isNew ? 'new-password' : 'current-password'
  byId('account-problem', HTMLElement).textContent = ''
  dialog.showModal()
}

async function submit(event: SubmitEvent): Promise<void> {
  event.preventDefault()
  const account = { username: input('username').value, password: input('password').value }
  const email = input('email')
  try {
    // Without the token in use, since it may have expired.
    const { token } = email.disabled
      ? (await run(signIn, { input: account }, {})).signIn
      : (await run(signUp, { input: { ...account, email: email.value } }, {})).signUp
    setToken(token)
    dialog.close()
    input('password').value = ''
  } catch (error) {
    byId('account-problem', HTMLElement).textContent = error instanceof Error ? error.message : String(error)
  }
}

input('token').oninput = ({ target }) => {
  if (target instanceof HTMLInputElement) setToken(target.value.trim().replace(/^Bearer +/i, ''))
}
button('copy').onclick = () => navigator.clipboard.writeText(currentToken())
button('forget').onclick = () => setToken('')
button('demo').onclick = () => setToken(options.token ?? '')
button('sign-in').onclick = () => open(false)
button('sign-up').onclick = () => open(true)
button('account-cancel').onclick = () => dialog.close()
byId('account-form', HTMLFormElement).onsubmit = submit
addEventListener('token', show)
show()
