#!/usr/bin/env node
import { checkNode } from './check.ts'

// Checked first, because the rest may not even load on an unsupported version.
const { status, message, advice } = checkNode()
if (status !== 'ok') process.stderr.write(`Node.js ${message} ${advice}\n`)

// Otherwise Node.js opens its inspector, with which other users of the machine could run code here.
process.on('SIGUSR1', () => undefined)

const { assumeProduction } = await import('./settings.ts')
assumeProduction()

const { ignoreStreamErrors } = await import('./output.ts')
const { createProgram } = await import('./program.ts')
const { fail } = await import('./failure.ts')
ignoreStreamErrors()
createProgram().parseAsync().catch(fail)
