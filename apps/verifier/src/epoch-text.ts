import { type Miner, type Tally, trust } from '@affine/duel'
import type { Settled } from './settle.ts'
import { drawInterval, printable, share } from './text.ts'

/** How hotkeys and miners are called on the screen. */
export type NameOf = (hotkey: string) => string

/** One decided epoch as lines for people: the duel, its environments, its lanes, and what came of it. */
export function epochText({ before, state, report }: Settled, nameOf: NameOf): string {
  const { duel, epoch, protocol, champion } = before
  const named = (miner: Miner | undefined): string => (miner === undefined ? 'nobody' : nameOf(miner.hotkey))
  const [holder, contender] = [named(duel?.champion ?? champion), named(duel?.contender)]
  const turn = duel && `, epoch ${epoch - duel.start + 1} of at most ${protocol.duelEpochs}`
  const ratio = duel?.ratio ?? before.ratio
  const title = `epoch ${epoch}  ${holder} holds the throne, ${contender} contends${turn ?? ''}. Ratio to beat ${share(ratio)}`

  const z = Math.sqrt(protocol.zSquaredPpm / 1_000_000)
  const envs = Object.entries(report.envs).map(([env, { win, tallies, setAside, given }]) => {
    const counted = Object.entries(tallies).filter(([hotkey]) => !setAside.includes(hotkey))
    const sum = (count: (tally: Tally) => number): number => counted.reduce((n, [, tally]) => n + count(tally), 0)
    const [wins, losses, played] = [sum((t) => t.wins), sum((t) => t.losses), sum((t) => t.played)]
    const whole = (count: bigint): number => Number(count) / Number(win.unit)
    const trimmed = { wins: whole(win.wins), trials: whole(win.trials) }
    const counts = `${wins} won, ${losses} lost, ${played - wins - losses} tied`.padEnd(32)
    const verdict = given ?? (report.frozen ? 'frozen' : 'go on')
    return `  ${env.padEnd(16)} ${counts} ${drawInterval(trimmed, z, ratio)} → ${verdict}`
  })
  const lanes = Object.entries(report.lanes).map(([hotkey, lane]) => {
    const trusted = share(trust(state.trust[hotkey] ?? { correct: 0, incorrect: 0 }))
    return `${nameOf(hotkey)} ${laneText(lane)} (trust ${trusted})`
  })
  const ends = {
    champion: [`  ${holder} keeps the throne, ${contender} fails`],
    contender: [`  ★ ${contender} dethrones ${holder}. The ratio to beat becomes ${share(state.ratio)}`],
    none: [],
  }
  const laneLine = lanes.length > 0 ? [`  lanes: ${lanes.join(' · ')}`] : []
  return [title, ...envs, ...laneLine, ...ends[report.outcome ?? 'none']].join('\n')
}

function laneText({ sealed, whole, accepted, setAside }: Settled['report']['lanes'][string]): string {
  if (setAside.length > 0) return `✘ set aside in ${setAside.join(', ')}`
  if (accepted) return '✔'
  return `✘ ${!sealed ? 'not sealed' : !whole ? 'not whole' : 'not attested by half'}`
}

/** A hotkey by its first and last letters. */
export const shortHotkey: NameOf = (hotkey) => printable(`${hotkey.slice(0, 6)}…${hotkey.slice(-4)}`)
