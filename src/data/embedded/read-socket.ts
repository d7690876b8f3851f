import { connect } from 'node:net'
import { hasCode } from './error-code.ts'

/** The time limit for the listener to respond, in milliseconds. */
const timeout = 2_000
const longestText = 300

/** The errors of a socket without a listener, and of a file that is not a socket. */
const deadCodes = ['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']

/** Reads a socket until it ends or is silent for 2 seconds; undefined if there is no listener. */
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

/** Whether a socket has a listener. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      resolve(true)
      socket.destroy()
    })
    socket.on('error', () => resolve(false))
  })
}
