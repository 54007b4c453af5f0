#!/usr/bin/env node
import { run } from '@affine/terminal'
import { program } from './program.ts'
import { isOurs } from './settings/env-file.ts'

await run(program, { isOurs })
