import { connect } from 'node:net'
import { hasCode } from './error-code.ts'

/** How long whoever listens may take to say something, in milliseconds. */
const timeout = 2_000
const longestText = 300

/** The errors of a socket that nobody listens on, and of what is no socket. */
const deadCodes = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']

/** What is said on a socket before it ends, within 2 seconds of silence; undefined where nobody listens. */
export function readSocket(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    let isDead = false
    const socket = connect(path)
    socket.setTimeout(timeout, () => socket.destroy())
    socket.on('data', (chunk) => {
      text = `${text}${chunk}`.slice(0, longestText)
    })
    socket.on('error', (error) => {
      isDead = deadCodes.some((code) => hasCode(error, code))
    })
    socket.on('close', () => resolve(isDead ? undefined : text))
  })
}

/** Whether anybody listens on a socket. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      resolve(true)
      socket.destroy()
    })
    socket.on('error', () => resolve(false))
  })
}
