/** Causes by system code, with advice. */
const REASONS = new Map([
  ['ENOTFOUND', 'no host has that name: check the spelling'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up now'],
  ['ECONNREFUSED', 'nothing listens there: is it running?'],
  ['EHOSTUNREACH', 'no network leads to that host'],
  ['ENETUNREACH', 'no network leads to that host'],
  ['ETIMEDOUT', 'no connection'],
])

/** Matches OpenSSL's codes for a certificate whose issuer is not trusted. */
const UNTRUSTED = /SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)/

/** Returns the cause of a failed connection in words; several causes for several addresses. */
export function describeConnectionFailure(error: NodeJS.ErrnoException): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return [...new Set(error.errors.map(describeConnectionFailure))].join('; ')
  const { code = '', message } = error
  if (code === 'EPROTO' && message.includes('wrong version number'))
    return 'the server does not use TLS; try http://'
  if (UNTRUSTED.test(code))
    return `${message}: to trust its issuer, name the issuer's file in NODE_EXTRA_CA_CERTS`
  return REASONS.get(code) ?? message
}
