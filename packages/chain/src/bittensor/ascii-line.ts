/** A stranger's words for a terminal: one line of printable ASCII, 300 characters at most. */
export const asciiLine = (text: string): string => text.slice(0, 300).replace(/[^\x20-\x7e]+/g, '?')
