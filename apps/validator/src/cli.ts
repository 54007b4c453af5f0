#!/usr/bin/env node
import { run } from '@affine/terminal/run'
import { createProgram } from './program.ts'

await run(await createProgram(process.argv))
