import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/** The folder of package.json, seen from the sources, a build or the installed package. */
export const packageFolder = dirname(createRequire(import.meta.url).resolve('#package.json'))

const manifest = z.object({ version: z.string() })

/** The version of Rookery. */
export const { version } = manifest.parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')))
