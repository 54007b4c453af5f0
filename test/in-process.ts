import { createProgram } from '../apps/validator/src/program.ts'
import { program as afVerify } from '../apps/verifier/src/program.ts'
import { type Place, type Written, within } from '../packages/terminal/test/within.ts'

const names = (await createProgram([])).commands.map((command) => command.name())
const af = await createProgram(names)

/** Runs `af` to its end in this process. Runs wait for each other. */
export const runAf = (words: readonly string[], place?: Place): Promise<Written> =>
  within(af, words, place)

/** Runs `af-verify` to its end in this process, without other threads. */
export const runVerifier = (words: readonly string[], place?: Place): Promise<Written> =>
  within(afVerify, [...words, '--jobs', '1'], place)
