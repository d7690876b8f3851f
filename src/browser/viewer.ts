import { run } from './graphql.ts'
import { currentToken } from './session.ts'

let known: { readonly token: string; readonly name: Promise<string> } | undefined

/** The username of the owner of the token in use. Rejects if the token may not read it. */
export function viewerName(): Promise<string> {
  const token = currentToken()
  if (known?.token !== token) {
    const name = run('query Viewer { viewer { username } }', {}).then(({ viewer }) => viewer?.username ?? '')
    known = { token, name }
  }
  return known.name
}

/** Whether a user is the owner of the token in use. */
export const isViewer = (username: string) =>
  viewerName().then(
    (name) => name === username,
    () => false,
  )
