import type { EpisodeEnding } from '../ending.ts'
import type { Turn } from '../turn.ts'

/** An ending as lines for people. */
export function endingTexts({ why, shown, better }: EpisodeEnding): readonly string[] {
  const lines = [why, ...shown.map((line) => `  ${line}`)]
  if (better !== undefined) lines.push(better)
  return lines
}

/** What a reply within an episode gave away; empty if nothing is known about it. */
export function turnText({ reply, forfeit, mistake }: Turn, index: number): string {
  if (reply === undefined || forfeit !== undefined || mistake === undefined) return ''
  return `reply ${index + 1}, ${mistake}`
}
