// Cases for `messages.mjs`. It must report exactly the lines marked `// found`.
interface Finding {
  readonly code: 'late' | 'lost'
  readonly detail: string
  readonly what?: string
}

class Refusal extends Error {
  readonly kind = 'refusal'
}

export function sample(finding: Finding, error: Refusal, seen: Set<string>): unknown {
  const { detail, what = '' } = finding
  const alias = error.message
  const { message } = error
  const byText: Record<string, string> = {}
  // biome-ignore format: each line has one case
  switch (detail) { // found
    case alias: return finding.code
  }
  return [
    finding.detail.startsWith('late'), // found
    alias.replace('a', 'b'), // found
    (finding.what ?? '').includes('late'), // found
    what.split(' ')[0], // found
    message === 'late', // found
    'late' !== detail, // found
    /late/.test(detail), // found
    seen.has(message), // found
    byText[detail], // found
    { [detail]: 1 }, // found
    detail in byText, // found
    finding.code === 'late' && error.kind === 'refusal',
    finding.what === undefined ? '' : `${finding.what}: ${detail.length}`,
  ]
}
