import { run } from '@affine/terminal'
import { program } from './program.ts'

await run(program)
