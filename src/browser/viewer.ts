import { viewer as viewerDocument } from './documents.ts'
import { run } from './graphql.ts'
import { currentToken } from './token.ts'

/** The owner of the token in use. */
type Viewer = {
  readonly uuid: string
  readonly username: string
  readonly isPrivate: boolean
  readonly isApproved: boolean | null
}

let known: { readonly token: string; readonly viewer: Promise<Viewer | null> } | undefined

/** The owner of the token in use. Rejects if the token may not read it. */
export function readViewer(): Promise<Viewer | null> {
  const token = currentToken()
  if (known?.token !== token) {
    const viewer = run(viewerDocument, {}).then((data) => data.viewer)
    known = { token, viewer }
  }
  return known.viewer
}

/** Reads the owner again when they are needed next, because they have changed. */
export function forgetViewer(): void {
  known = undefined
}

/** Whether the owner of the token in use is private. */
export const isPrivate = () =>
  readViewer().then(
    (viewer) => viewer?.isPrivate ?? false,
    () => false,
  )

/** Whether the owner of the token in use waits for the approval of a moderator. */
export const waitsForApproval = () =>
  readViewer().then(
    (viewer) => viewer?.isApproved === false,
    () => false,
  )

/** Whether a user is the owner of the token in use. */
export const isViewer = (username: string) =>
  readViewer().then(
    (viewer) => viewer?.username === username,
    () => false,
  )
