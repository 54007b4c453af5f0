/** Causes by system code, with advice. For other codes, Node's message is the cause. */
const REASONS = new Map([
  ['ENOTFOUND', 'no host has that name: check the spelling'],
  ['ECONNREFUSED', 'nothing listens there: is it running?'],
])

/** Returns the cause of a failed connection in words; several causes for several addresses. */
export function describeConnectionFailure(error: NodeJS.ErrnoException): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(describeConnectionFailure))].join('; ')
  return REASONS.get(error.code ?? '') ?? error.message
}
