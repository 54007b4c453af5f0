/** The parts of a URL that may be secret: user, query, fragment, and the path of a node's URL. */
const USER = /(?<=:\/\/)[^\s,/]+(?=@)/
const NODE_PATH = /(?<=\bwss?:\/\/[^\s,/?]*\/)(?!\*{4})[^\s,]*\w/
const QUERY = /(?<=:\/\/[^\s,?#]*[?#])(?!\*{4})(?:[^\s,]*\w|[^\s,]+)/
const SECRET = new RegExp([USER, NODE_PATH, QUERY].map(({ source }) => source).join('|'), 'gi')

/** Masks these parts of all URLs in a text. */
export const maskUrls = (text: string): string => text.replace(SECRET, '****')
