#!/usr/bin/env node
import { run } from '@affine/terminal'
import { program } from './program.ts'
import { isOurs } from './settings/unknown-variables.ts'

await run(program, { isOurs })
