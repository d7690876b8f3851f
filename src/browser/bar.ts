import './page.css'
import './bar.css'
import { askToSignIn, byId, element, messageParts } from './dom.ts'
import { drawFace } from './picture.ts'
import { canSignIn, signIn, signOut } from './sign-in.ts'
import { authorization, currentToken, demo, isDemo, setToken } from './token.ts'
import { readViewer } from './viewer.ts'

const input = (id: string) => byId(id, HTMLInputElement)
const button = (id: string) => byId(id, HTMLButtonElement)

/** Shows which token is in use, and whose it is. */
async function show(): Promise<void> {
  const token = currentToken()
  const field = input('token')
  if (field.value !== token) field.value = token
  button('sign-out').hidden = token === ''
  // Only secure contexts have a clipboard.
  button('copy').hidden = token === '' || !isSecureContext
  button('demo').hidden = demo.token === undefined || isDemo()
  const { who, said, isSignedIn, uuid } = await describe()
  if (token !== currentToken()) return
  button('who').replaceChildren(uuid === undefined ? '' : drawFace(uuid), element('span', {}, who))
  const whose = byId('whose')
  whose.replaceChildren(...said)
  askToSignIn(isSignedIn ? '' : whose.textContent)
}

/** What is known of the token in use: a word or two for the button, and a sentence, which may have a link. */
type Described = {
  readonly who: string
  readonly said: readonly (Node | string)[]
  readonly isSignedIn: boolean
  readonly uuid?: string | undefined
}

/** Finds out what is known of the token in use. */
async function describe(): Promise<Described> {
  if (currentToken() === '') {
    const text = canSignIn ? 'You are not signed in.' : 'You are not signed in. Enter a token in the menu above.'
    return { who: 'Token', said: [text], isSignedIn: false }
  }
  if (!authorization().Authorization) {
    return {
      who: 'Not a token',
      said: ['This is not a valid token, so requests are sent without one.'],
      isSignedIn: false,
    }
  }
  try {
    const { username = '', uuid } = (await readViewer()) ?? {}
    const who = `@${username}${isDemo() ? ' (demo)' : ''}`
    return { who, said: [`Signed in as ${who}`], isSignedIn: true, uuid }
  } catch (error) {
    const code = error instanceof Error ? error.cause : undefined
    if (code === 'INSUFFICIENT_SCOPE') {
      return { who: 'Limited token', said: ['Signed in with a limited token'], isSignedIn: true }
    }
    const isSignedIn = code !== 'UNAUTHENTICATED'
    return { who: 'Token', said: messageParts(error), isSignedIn }
  }
}

input('token').oninput = () =>
  setToken(
    input('token')
      .value.trim()
      .replace(/^Bearer +/i, ''),
  )
button('copy').onclick = () => navigator.clipboard.writeText(currentToken())
button('demo').onclick = () => setToken(demo.token ?? '')
button('sign-in').hidden = !canSignIn
button('sign-in').onclick = signIn
button('sign-out').onclick = signOut
addEventListener('token', show)
show()
