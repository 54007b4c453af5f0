#!/usr/bin/env node
import { run } from '@affine/terminal/run'
import { createProgram, loadIsOwnVariable } from './program.ts'

await run(await createProgram(process.argv), loadIsOwnVariable)
