/** What does not show, or turns what stands around it: controls, marks of direction. */
const HIDDEN =
  /[^\S\n ]|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Text from outside, as it may be shown: what does not show is named by its code, as ⟨U+202E⟩, line
 * feeds stay, and no more than `most` characters are taken.
 */
export function showHidden(text: string, most = 4096): string {
  const cut = text.length > most ? `${text.slice(0, most)}… ${text.length - most} more` : text
  return cut.replace(HIDDEN, (character) => {
    if (character === '\n') return character
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}

/** The same on one line. */
export const showOnLine = (text: string, most = 200): string =>
  showHidden(text, most).replaceAll('\n', '⏎')

/** A hotkey or a hash by its ends. */
export function shorten(text: string): string {
  if (text.length <= 13) return showOnLine(text)
  return showOnLine(`${text.slice(0, 6)}…${text.slice(-4)}`)
}

/** As in "1 epoch" and "2 epochs". */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`
