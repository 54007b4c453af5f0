/** Returns the words of a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const WAITS = /^(?:waiting for .*|reading.*|playing eight .*|\d+ of \d+ played.*)\n/gm

/** Removes the lines that a program prints only on a slow machine. */
export const dropWaits = (text: string): string => text.replace(WAITS, '')
