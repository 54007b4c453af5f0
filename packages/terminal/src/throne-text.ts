import { contentOf, type Duel, type Miner, winnerBy } from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { type NameOf, share } from './text.ts'

/** Who took the empty throne with this epoch's end; undefined if nobody did. Protocol §8.11. */
export function crownedIn({ before, state, report }: Settled): Miner | undefined {
  const { champion } = state
  const isCrowned =
    !isSame(champion, before.champion) &&
    !(report.outcome === 'contender' && isSame(champion, before.duel?.contender))
  return isCrowned ? champion : undefined
}

/** What became of the throne, a line for each thing. Protocol §8.11. */
export function throneTexts(settled: Settled, nameOf: NameOf): readonly string[] {
  const { before, state } = settled
  const lines: string[] = []
  if (before.duel) lines.push(...outcomeTexts(settled, before.duel, nameOf))
  const crowned = crownedIn(settled)
  const becomes = `The ratio to beat becomes ${share(state.ratio)}`
  if (crowned)
    lines.push(`  ${nameOf(crowned.hotkey)} takes the empty throne without a duel. ${becomes}`)
  else if (before.champion && !state.champion) lines.push('  the throne is empty')
  return lines
}

function outcomeTexts(settled: Settled, duel: Duel, nameOf: NameOf): readonly string[] {
  const { state, report } = settled
  const [holder, rival] = [nameOf(duel.champion.hotkey), nameOf(duel.contender.hotkey)]
  if (report.outcome === undefined) return []
  if (report.outcome === 'champion') {
    if (isSame(state.champion, duel.champion))
      return [`  ${holder} keeps the throne, ${rival} fails`]
    return [`  ${rival} fails, and ${holder} has left`]
  }
  if (!isSame(state.champion, duel.contender)) return [`  ${rival} wins, and has left`]
  const becomes = `The ratio to beat becomes ${share(state.ratio)}`
  if (hasWon(settled)) return [`  ★ ${rival} dethrones ${holder}. ${becomes}`]
  return [`  ${rival} has the throne, as ${holder} has left. ${becomes}`]
}

/** Has the contender won by its verdicts, and not because the champion left? Protocol §8.7. */
function hasWon({ before: { protocol }, report: { verdicts } }: Settled): boolean {
  return winnerBy(verdicts, protocol) === 'contender'
}

const isSame = (a: Miner | undefined, b: Miner | undefined): boolean =>
  (a && contentOf(a)) === (b && contentOf(b))
