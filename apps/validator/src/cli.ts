#!/usr/bin/env node
import { run } from '@affine/terminal'
import { createProgram } from './program.ts'
import { isOwnVariable } from './settings/env-file.ts'

await run(await createProgram(process.argv), { isOwnVariable })
