import { type Duel, type State, trust } from '@affine/duel'
import type { Settled } from './settle.ts'
import { drawInterval, printable, share } from './text.ts'

/** How hotkeys and miners are called on the screen. */
export type NameOf = (hotkey: string) => string

/** One decided epoch as lines for people: the duel, its environments, its lanes, and what came of it. */
export function epochText({ before, state, report }: Settled, nameOf: NameOf): readonly string[] {
  const { duel } = before
  const lines = [
    `epoch ${before.epoch}  ${duel === undefined ? throneText(before, nameOf) : duelText(before, duel, nameOf)}`,
  ]
  const z = Math.sqrt(before.protocol.zSquaredPpm / 1_000_000)
  for (const [env, { win, tallies, setAside, given }] of Object.entries(report.envs)) {
    const sum = { wins: 0, losses: 0, played: 0 }
    for (const [hotkey, tally] of Object.entries(tallies)) {
      if (setAside.includes(hotkey)) continue
      sum.wins += tally.wins
      sum.losses += tally.losses
      sum.played += tally.played
    }
    const unit = Number(win.unit)
    const trimmed = { wins: Number(win.wins) / unit, trials: Number(win.trials) / unit }
    const counts = `${sum.wins} won, ${sum.losses} lost, ${sum.played - sum.wins - sum.losses} tied`
    const interval = drawInterval(trimmed, z, duel?.ratio ?? state.ratio)
    lines.push(
      `  ${env.padEnd(16)} ${counts.padEnd(32)} ${interval} → ${given ?? (report.frozen ? 'frozen' : 'go on')}`,
    )
  }
  const lanes = Object.entries(report.lanes).map(([hotkey, lane]) => {
    const fault = lane.setAside.length > 0 ? `set aside in ${lane.setAside.join(', ')}` : laneFault(lane)
    return `${nameOf(hotkey)} ${fault === '' ? '✔' : `✘ ${fault}`} (trust ${share(trust(state.trust[hotkey] ?? NEW))})`
  })
  if (lanes.length > 0) lines.push(`  lanes: ${lanes.join(' · ')}`)
  if (report.outcome !== undefined && duel !== undefined)
    lines.push(`  ${endText(report.outcome, duel, state, nameOf)}`)
  return lines
}

const NEW = { correct: 0, incorrect: 0 }

function laneFault(lane: { readonly sealed: boolean; readonly whole: boolean; readonly accepted: boolean }): string {
  if (lane.accepted) return ''
  return !lane.sealed ? 'not sealed' : !lane.whole ? 'not whole' : 'not attested by half'
}

function throneText({ champion, ratio }: State, nameOf: NameOf): string {
  const throne = champion === undefined ? 'the throne is empty' : `${nameOf(champion.hotkey)} holds the throne`
  return `${throne}, nobody contends. Ratio to beat ${share(ratio)}`
}

function duelText({ epoch, protocol }: State, duel: Duel, nameOf: NameOf): string {
  const { champion, contender, start, ratio } = duel
  const turn = `epoch ${epoch - start + 1} of at most ${protocol.duelEpochs}`
  return `${nameOf(contender.hotkey)} contends against ${nameOf(champion.hotkey)}, ${turn}. Ratio to beat ${share(ratio)}`
}

function endText(outcome: 'contender' | 'champion', duel: Duel, state: State, nameOf: NameOf): string {
  const [champion, contender] = [nameOf(duel.champion.hotkey), nameOf(duel.contender.hotkey)]
  return outcome === 'contender'
    ? `★ ${contender} dethrones ${champion}. The ratio to beat becomes ${share(state.ratio)}`
    : `${champion} keeps the throne, ${contender} fails`
}

/** A hotkey by its first and last letters. */
export const shortHotkey: NameOf = (hotkey) => printable(`${hotkey.slice(0, 6)}…${hotkey.slice(-4)}`)
