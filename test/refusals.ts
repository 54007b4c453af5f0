/** A name and something that has to throw or reject. */
export type Refused = readonly [name: string, act: () => unknown]

/** Returns a line for each: its name and its error. Rejects if one of them settles. */
export async function refusalLines(cases: Iterable<Refused>): Promise<string> {
  const lines: string[] = []
  for (const [name, act] of cases) {
    const error = await (async () => act())().catch((error: unknown) => error)
    if (!(error instanceof Error)) throw new Error(`not refused: ${name}`)
    lines.push(`${name}: ${error}\n`)
  }
  return lines.join('')
}
