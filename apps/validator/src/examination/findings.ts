import { ChainError } from '@affine/chain'
import type { Open, Subnet } from '@affine/settlement'
import { type ChainOptions, type Output, onChain, output, printable } from '@affine/terminal'
import type { Hide } from '../service/secrets.ts'

/** The result of a check, and advice if something should be fixed. */
export interface Finding {
  readonly check: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly found: string
  readonly advice?: string | undefined
}

/** Nothing has to be fixed. */
export const ok = (check: string, found: string): Finding => ({ check, result: 'ok', found })

/** Something may have to be fixed. */
export const warn = (check: string, found: string, advice?: string): Finding => {
  return { check, result: 'warn', found, advice }
}

/** Something must be fixed. */
export const fail = (check: string, found: string, advice?: string): Finding => {
  return { check, result: 'fail', found, advice }
}

const MARKS = { ok: 'ok', warn: '! ', fail: '✘ ' }

/** Prints what a check found. */
export function sayFinding(
  { check, result, found, advice }: Finding,
  screen: Output,
  hide: Hide = String,
): void {
  const text = printable(hide(advice === undefined ? found : `${found}: ${advice}`), 1000)
  const line = `${MARKS[result]} ${check.padEnd(12)} ${text}`
  screen.line(line, { type: 'check', check, result, text })
}

/** Where to look, what to hide of what is found, and what to look at there. */
interface Looks {
  readonly options: ChainOptions
  readonly hide: Hide
  readonly look: (subnet: Subnet, signal: AbortSignal) => AsyncIterable<Finding>
}

/**
 * Says what is found over a chain that `open` opens, and whether none of it must be mended. Rejects
 * with wrong usage, and once it is interrupted; a chain that does not answer is a finding.
 */
export async function sayFindings(open: Open, { options, hide, look }: Looks): Promise<boolean> {
  const screen = output(options.json)
  let isWell = true
  const say = (finding: Finding): void => {
    isWell &&= finding.result !== 'fail'
    sayFinding(finding, screen, hide)
  }
  try {
    await onChain(open, options, async (subnet, _, signal) => {
      for await (const finding of look(subnet, signal)) say(finding)
    })
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    say(fail('chain', error.message))
  }
  return isWell
}
