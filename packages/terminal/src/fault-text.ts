/** The system's error codes for a path that is wrong, in words. */
const SENTENCES = new Map([
  ['ENOENT', 'does not exist: check the spelling'],
  ['ENOTDIR', 'is a file or is below one, where a folder is expected'],
  ['EISDIR', 'is a folder, where a file is expected'],
  ['EACCES', 'is not accessible to this user: check its owner and mode'],
  ['EPERM', 'is not accessible to this user: check its owner and mode'],
])

/** Returns a sentence about the path that the system refused, or else the error's message. */
export function faultText({ code = '', path, syscall, message }: NodeJS.ErrnoException): string {
  if (syscall === 'mkdir' && code === 'EEXIST')
    return `${path} is a file, where a folder is expected`
  const sentence = SENTENCES.get(code)
  if (sentence === undefined || path === undefined) return message
  if (syscall === 'mkdir' && code === 'ENOENT') return `cannot make a folder at ${path}`
  return `${path} ${sentence}`
}

/**
 * Settles as `reading` does: the reading of a path that a user named. A path that is wrong is the
 * user's mistake; a disk that fails is not.
 * @throws RangeError, as a rejection, for such a mistake.
 */
export function readNamed<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    const { code = '', path } = error
    if (path === undefined || !SENTENCES.has(code)) throw error
    throw new RangeError(faultText(error), { cause: error })
  })
}

/** The start of a URL, whose slashes parsers take in any number and direction, and its rest. */
const URL_IN_TEXT = /(\b(?:https?|wss?):[/\\]*|:\/\/)((?![/\\])(?:(?!\bwss?:[/\\])[^\s,])+)/gi
/** A user. Its password may have a slash; and, though a URL may not have them there, `?` or `#`. */
const USER = /^(?:[^?#]+|[^/\\?#:]+:(?!\d*[/\\?#]).+)@/s
const TAIL = /^(?!\*{4}).*[\p{L}\p{N}]/su

/**
 * Masks what may be secret in the URLs in a text, even malformed ones: user, query, fragment, and
 * the path of a node's URL.
 */
export function maskUrls(text: string): string {
  return text.replace(URL_IN_TEXT, (_, start: string, rest: string) => {
    const url = rest.replace(USER, '****@')
    const end = url.search(/^w/i.test(start) ? /[/\\?#]/ : /[?#]/) + 1
    return end === 0
      ? start + url
      : start + url.slice(0, end) + url.slice(end).replace(TAIL, '****')
  })
}
