import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The path of the browser: the value of `CHROMIUM`, or Debian's Chromium; undefined if there is none. */
export const chromiumPath = [process.env.CHROMIUM, '/usr/bin/chromium'].find((path) => path && existsSync(path))

// The browser makes no requests of its own, and pages can reach only this machine, to which the names below .test lead.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE [::1]',
]

/** Starts the browser, headless and with a new profile. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args, headless: true })
}
