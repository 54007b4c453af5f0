/** What may be secret in a URL: its user, the path of a node's, and any query or fragment. */
const USER = /(?<=:\/\/)[^\s,/]+(?=@)/
const NODE_PATH = /(?<=\bwss?:\/\/[^\s,/?]*\/)(?!\*{4})[^\s,]*\w/
const QUERY = /(?<=:\/\/[^\s,?#]*[?#])[^\s,]*\w/
const SECRET = new RegExp([USER, NODE_PATH, QUERY].map(({ source }) => source).join('|'), 'gi')

/** A text whose URLs are masked where they may be secret. */
export const maskUrls = (text: string): string => text.replace(SECRET, '****')
