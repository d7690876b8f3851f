import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/** The folder of package.json, seen from the sources, a build or the installed package. */
export const packageFolder = dirname(createRequire(import.meta.url).resolve('#package.json'))
