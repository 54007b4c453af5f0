/** An untrusted text as one line of printable ASCII, of at most 300 characters, for a terminal. */
export const asciiLine = (text: string): string => text.slice(0, 300).replace(/[^\x20-\x7e]+/g, '?')
