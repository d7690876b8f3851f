import './page.css'
import { askToSignIn, byId, messageOf } from './element.ts'
import { run } from './graphql.ts'
import { authorization, currentToken, demo, isDemo, setToken } from './session.ts'
import { viewerName } from './viewer.ts'

const input = (id: string) => byId(id, HTMLInputElement)
const button = (id: string) => byId(id, HTMLButtonElement)
const dialog = byId('account', HTMLDialogElement)

/** Shows which token is in use, and whose it is. */
async function show(): Promise<void> {
  const token = currentToken()
  const field = input('token')
  if (field.value !== token) field.value = token
  button('forget').hidden = token === ''
  // Only secure contexts have a clipboard.
  button('copy').hidden = token === '' || !isSecureContext
  button('demo').hidden = demo.token === undefined || isDemo()
  const { who, text, isSignedIn } = await describe()
  if (token !== currentToken()) return
  button('who').textContent = who
  byId('whose').textContent = text
  askToSignIn(isSignedIn ? '' : text)
}

/** What is known of the token in use: a word or two for the button, and a sentence. */
async function describe(): Promise<{ who: string; text: string; isSignedIn: boolean }> {
  if (currentToken() === '') return { who: 'Token', text: 'You are not signed in.', isSignedIn: false }
  if (!authorization().Authorization) {
    return { who: 'Not a token', text: 'This is not a token, so requests are sent without one.', isSignedIn: false }
  }
  try {
    const who = `@${await viewerName()}${isDemo() ? ' (demo)' : ''}`
    return { who, text: `Signed in as ${who}`, isSignedIn: true }
  } catch (error) {
    const code = error instanceof Error ? error.cause : undefined
    if (code === 'INSUFFICIENT_SCOPE') {
      return { who: 'Limited token', text: 'Signed in with a limited token', isSignedIn: true }
    }
    return { who: 'Token', text: messageOf(error), isSignedIn: code !== 'UNAUTHENTICATED' }
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
