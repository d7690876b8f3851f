import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageFolder } from './package-folder.ts'

const manifest = z.object({ version: z.string() })

/** The version of Rookery. */
export const { version } = manifest.parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')))
