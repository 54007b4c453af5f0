import { type Output, printable } from '@affine/terminal'
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
const TONES = { ok: 'good', warn: 'warning', fail: 'bad' } as const

/** Prints what a check found. */
export function sayFinding(
  { check, result, found, advice }: Finding,
  screen: Output,
  hide: Hide = String,
): void {
  const text = printable(hide(advice === undefined ? found : `${found}: ${advice}`), 1000)
  const line = { text: `${MARKS[result]} ${check.padEnd(12)} ${text}`, tone: TONES[result] }
  screen.line([line], { type: 'check', check, result, text })
}
