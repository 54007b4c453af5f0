/** The result of a check, and advice if something should be fixed. */
export interface Finding {
  readonly check: string
  readonly result: 'ok' | 'warn' | 'fail'
  readonly found: string
  readonly advice?: string | undefined
}

/** Nothing has to be fixed. */
export function ok(check: string, found: string): Finding {
  return { check, result: 'ok', found }
}

/** Something may have to be fixed. */
export function warn(check: string, found: string, advice?: string): Finding {
  return { check, result: 'warn', found, advice }
}

/** Something must be fixed. */
export function fail(check: string, found: string, advice?: string): Finding {
  return { check, result: 'fail', found, advice }
}
