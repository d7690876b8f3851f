import './page.css'
import { byId, messageOf } from './element.ts'
import { run } from './graphql.ts'
import { authorization, currentToken, demo, isDemo, setToken } from './session.ts'

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
  button('demo').hidden = demo.token === undefined || isDemo()
  who.value = token === '' ? 'Not signed in' : '…'
  if (token === '') return
  const text = await describe()
  if (token === currentToken()) who.value = text
}

/** Describes the token in use. */
async function describe(): Promise<string> {
  if (!authorization().Authorization) return 'Not a token: requests are sent without one'
  try {
    const { viewer } = await run('query Viewer { viewer { username } }', {})
    return `Signed in as @${viewer?.username}${isDemo() ? ' (demo)' : ''}`
  } catch (error) {
    const isLimited = error instanceof Error && error.cause === 'INSUFFICIENT_SCOPE'
    return isLimited ? 'Signed in with a limited token' : messageOf(error)
  }
}

/** Opens the form to sign in, or to sign up. */
function open(isNew: boolean): void {
  byId('account-title').textContent = button('account-submit').textContent = isNew ? 'Sign up' : 'Sign in'
  input('email').disabled = byId('email-label').hidden = !isNew
  input('password').autocomplete = isNew ? 'new-password' : 'current-password'
  byId('account-problem').textContent = ''
  dialog.showModal()
}

/** Signs in or up, without the token in use, since it may have expired. Returns the new token. */
async function submit(): Promise<string> {
  // Pages show usernames with an `@`, and keyboards of phones add a space.
  const username = input('username').value.trim().replace(/^@/, '')
  const account = { username, password: input('password').value }
  const { value: email, disabled: isKnown } = input('email')
  if (isKnown) {
    const query = 'mutation SignIn($input: SignInInput!) { signIn(input: $input) { token } }'
    return (await run(query, { input: account }, {})).signIn.token
  }
  const query = 'mutation SignUp($input: SignUpInput!) { signUp(input: $input) { token } }'
  return (await run(query, { input: { ...account, email } }, {})).signUp.token
}

input('token').oninput = () =>
  setToken(
    input('token')
      .value.trim()
      .replace(/^Bearer +/i, ''),
  )
button('copy').onclick = () => navigator.clipboard.writeText(currentToken())
button('forget').onclick = () => setToken('')
button('demo').onclick = () => setToken(demo.token ?? '')
button('sign-in').onclick = () => open(false)
button('sign-up').onclick = () => open(true)
button('account-cancel').onclick = () => dialog.close()
byId('account-form').onsubmit = async (event) => {
  event.preventDefault()
  try {
    setToken(await submit())
    dialog.close()
    input('password').value = ''
  } catch (error) {
    byId('account-problem').textContent = messageOf(error)
  }
}
addEventListener('token', show)
show()
