/** System codes for a wrong path. */
const WRONG_PATH = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM']

/**
 * Settles as `reading` does, which reads a path that a user named.
 * @throws RangeError, as a rejection, for a wrong path, but not for a failing disk.
 */
export function readNamed<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    const { code = '', path, message } = error
    if (path === undefined || !WRONG_PATH.includes(code)) throw error
    const text = code === 'ENOENT' ? `${path} does not exist: check the spelling` : message
    throw new RangeError(text, { cause: error })
  })
}

/**
 * Matches a URL in two groups. The first is the scheme with any slashes and backslashes after it,
 * or `://` without a scheme. The second ends before white space, a comma or a `ws` URL.
 */
const URL_IN_TEXT = /(\b(?:https?|wss?):[/\\]*|:\/\/)((?![/\\])(?:(?!\bwss?:[/\\])[^\s,])+)/gi
/** Matches user and password. The password may contain `/`, in malformed URLs also `?` or `#`. */
const USER = /^(?:[^?#]+|[^/\\?#:]+:(?!\d*[/\\?#]).+)@/s
/** Matches a text up to its last letter or digit, unless `****` masks it already. */
const TAIL = /^(?!\*{4}).*[\p{L}\p{N}]/su

/**
 * Masks the parts of URLs that may be secret, even in malformed URLs: user, query, fragment, and
 * the path of a node's URL.
 */
export function maskUrls(text: string): string {
  return text.replace(URL_IN_TEXT, (_, start: string, remainder: string) => {
    const url = remainder.replace(USER, '****@')
    const end = url.search(/^w/i.test(start) ? /[/\\?#]/ : /[?#]/) + 1
    return end === 0
      ? start + url
      : start + url.slice(0, end) + url.slice(end).replace(TAIL, '****')
  })
}
