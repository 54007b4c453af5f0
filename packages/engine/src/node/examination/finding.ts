/** What a check came to, and what to do if that is not well. */
export interface Finding {
  readonly check: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly found: string
  readonly advice?: string | undefined
}

/** Nothing to mend. */
export function ok(check: string, found: string): Finding {
  return { check, result: 'ok', found }
}

/** Perhaps to be mended. */
export function warn(check: string, found: string, advice?: string): Finding {
  return { check, result: 'warn', found, advice }
}

/** To be mended. */
export function fail(check: string, found: string, advice?: string): Finding {
  return { check, result: 'fail', found, advice }
}
