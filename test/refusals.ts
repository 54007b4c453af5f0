/** A name and a function that has to throw or reject. */
export type RefusalCase = readonly [name: string, act: () => unknown]

/** Resolves with a line per case: its name and its error. Rejects if a case does not fail. */
export async function refusalLines(cases: Iterable<RefusalCase>): Promise<string> {
  const lines: string[] = []
  for (const [name, act] of cases) {
    const error = await (async () => act())().catch((error: unknown) => error)
    if (!(error instanceof Error)) throw new Error(`not refused: ${name}`)
    lines.push(`${name}: ${error}\n`)
  }
  return lines.join('')
}
