#!/usr/bin/env node
import { fail } from './failure.ts'
import { allowClosedPipes } from './output.ts'
import { createProgram } from './program.ts'

allowClosedPipes()
createProgram().parseAsync().catch(fail)
