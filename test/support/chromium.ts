import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The browser of the machine: the one that `CHROMIUM` names, or Debian's; undefined where there is none. */
export const chromiumPath = [process.env.CHROMIUM, '/usr/bin/chromium'].find((path) => path && existsSync(path))

// The browser itself asks nothing of the network, and a page finds nothing but this machine.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
]

/** Starts that browser, headless and with a new profile. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args, headless: true })
}
