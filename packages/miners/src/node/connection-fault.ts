/** The system's error codes for a connection, in words. */
const SENTENCES = new Map([
  ['ENOTFOUND', 'no host has that name: check the spelling'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up now'],
  ['ECONNREFUSED', 'nothing listens there: is it running?'],
  ['EHOSTUNREACH', 'no network leads to that host'],
  ['ENETUNREACH', 'no network leads to that host'],
  ['ETIMEDOUT', 'no connection'],
])

/** Why a connection failed, for people; `began` tells whether a response had begun. */
export function connectionFault(
  { code = '', message }: NodeJS.ErrnoException,
  began: boolean,
): string {
  if (code === 'EPROTO' && message.includes('wrong version number'))
    return 'no TLS is spoken there: is it at http:// instead?'
  if (code === 'ECONNRESET' || code === 'EPIPE') return closedText(began)
  return SENTENCES.get(code) ?? message
}

/** The server closed the connection. */
const closedText = (began: boolean): string =>
  `it closed the connection ${began ? 'in the middle of' : 'before'} its reply`
