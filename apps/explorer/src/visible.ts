/** Invisible characters, and characters that change the direction of text. */
const HIDDEN =
  /[^\S\n ]|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/**
 * Returns untrusted text for display, cut to `most` characters. Invisible characters become codes
 * such as ⟨U+202E⟩; line feeds stay.
 */
export function showHidden(text: string, most = 4096): string {
  const cut = text.length > most ? `${text.slice(0, most)}… ${text.length - most} more` : text
  return cut.replace(HIDDEN, (character) => {
    if (character === '\n') return character
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}

/** Returns untrusted text like `showHidden`, on one line. */
export const showOnLine = (text: string, most = 200): string =>
  showHidden(text, most).replaceAll('\n', '⏎')

/** Formats a duration, as in "40 s", "12 min" or "3 h". */
export function formatDuration(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
