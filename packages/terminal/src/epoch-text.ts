import {
  type Counts,
  type Miner,
  type Protocol,
  type Report,
  stateRoot,
  trustOf,
} from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { drawInterval } from './interval.ts'
import { type NameOf, share, shortHotkey } from './text.ts'

/** What a line about an environment needs of its report. */
export type EnvSeen = Pick<Report['envs'][string], 'win' | 'tallies' | 'setAside'>

/** What an interval is drawn against. */
export interface Against {
  readonly ratioPpm: number
  readonly protocol: Protocol
}

/**
 * An environment on a line: what the contender won, lost and tied in the lanes that are not set
 * aside, and the interval of what of it counts for a win.
 */
export function envText(env: string, seen: EnvSeen, { ratioPpm, protocol }: Against): string {
  const { wins, losses, played } = countedIn(seen)
  const counts = `${wins} won, ${losses} lost, ${played - wins - losses} tied`.padEnd(32)
  const drawn = {
    wins: Number(seen.win.wins) / Number(seen.win.unit),
    trials: Number(seen.win.trials) / Number(seen.win.unit),
    z: Math.sqrt(protocol.zSquaredPpm / 1_000_000),
  }
  return `  ${env.padEnd(16)} ${counts} ${drawInterval(drawn, ratioPpm)}`
}

/** The sums of all lanes that are not set aside. */
function countedIn({ tallies, setAside }: EnvSeen): Counts {
  const sum = { wins: 0, losses: 0, played: 0 }
  for (const [hotkey, { wins, losses, played }] of Object.entries(tallies)) {
    if (setAside.includes(hotkey)) continue
    sum.wins += wins
    sum.losses += losses
    sum.played += played
  }
  return sum
}

/** What became of a lane. */
export function laneText(lane: Report['lanes'][string]): string {
  const { sealed, whole, accepted, setAside } = lane
  if (setAside.length > 0) return `✘ set aside in ${setAside.join(', ')}`
  if (accepted) return '✔'
  if (!sealed) return '✘ not sealed'
  return whole ? '✘ not attested by enough' : '✘ not whole'
}

/**
 * One decided epoch as lines for people: the duel, its environments, its lanes, what came of it.
 */
export function epochText(settled: Settled, nameOf: NameOf = shortHotkey): string {
  const { before, report } = settled
  const names = namesIn(settled, nameOf)
  const ratioPpm = before.duel?.ratio ?? before.ratio
  const lines = [titleOf(settled, names)]
  for (const [env, seen] of Object.entries(report.envs)) {
    const text = envText(env, seen, { ratioPpm, protocol: before.protocol })
    lines.push(`${text} → ${seen.given ?? (report.frozen ? 'frozen' : 'go on')}`)
  }
  const lanes = laneTexts(settled, nameOf)
  if (lanes.length > 0) lines.push(`  lanes: ${lanes.join(' · ')}`)
  const ending = endingOf(settled, names)
  if (ending !== undefined) lines.push(ending)
  return lines.join('\n')
}

/** The two of a duel by their names. */
interface Names {
  readonly holder: string
  readonly rival: string
}

function namesIn({ before: { duel, champion } }: Settled, nameOf: NameOf): Names {
  const named = (miner: Miner | undefined): string =>
    miner === undefined ? 'nobody' : nameOf(miner.hotkey)
  return { holder: named(duel?.champion ?? champion), rival: named(duel?.contender) }
}

function titleOf({ before }: Settled, { holder, rival }: Names): string {
  const { duel, epoch, protocol } = before
  let turn = ''
  if (duel) turn = `, epoch ${epoch - duel.start + 1} of at most ${protocol.duelEpochs}`
  const seats = `${holder} holds the throne, ${rival} contends${turn}`
  return `epoch ${epoch}  ${seats}. Ratio to beat ${share(duel?.ratio ?? before.ratio)}`
}

function laneTexts({ state, report }: Settled, nameOf: NameOf): readonly string[] {
  return Object.entries(report.lanes).map(([hotkey, lane]) => {
    const trust = share(trustOf(state.trust[hotkey]))
    return `${nameOf(hotkey)} ${laneText(lane)} (trust ${trust})`
  })
}

function endingOf({ state, report }: Settled, { holder, rival }: Names): string | undefined {
  if (report.outcome === 'champion') return `  ${holder} keeps the throne, ${rival} fails`
  if (report.outcome === undefined) return undefined
  return `  ★ ${rival} dethrones ${holder}. The ratio to beat becomes ${share(state.ratio)}`
}

/** One decided epoch for machines. */
export function epochRecord({ before, state, report }: Settled): object {
  return {
    type: 'epoch',
    epoch: before.epoch,
    root: stateRoot(state),
    report: reportRecord(report),
  }
}

/** A report for machines: there, an environment's look is its `verdict`. */
export function reportRecord(report: Report): object {
  const envs = Object.entries(report.envs).map(([env, seen]) => {
    const { setAside, win, hold, decisivePpm, look: verdict, tallies, given } = seen
    return [env, { setAside, win, hold, decisivePpm, verdict, tallies, given }]
  })
  return { ...report, envs: Object.fromEntries(envs) }
}
