#!/usr/bin/env node
import { run } from '@affine/terminal'
import { programFor } from './program.ts'
import { isOurs } from './settings/env-file.ts'

await run(await programFor(process.argv), { isOurs })
