import { type Miner, type Report, stateRoot, trustOf } from '@affine/duel'
import type { Settled } from '@affine/settlement'
import { envText } from './env-text.ts'
import { type NameOf, share, shortHotkey } from './text.ts'
import { crownedIn, throneTexts } from './throne-text.ts'

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
  const ratioPpm = before.duel?.ratio ?? before.ratio
  const otherwise = report.frozen ? 'frozen' : 'go on'
  const lines = [titleOf(settled, nameOf)]
  for (const [env, seen] of Object.entries(report.envs))
    lines.push(envText({ ...seen, env, otherwise, ratioPpm }))
  const lanes = laneTexts(settled, nameOf)
  if (lanes.length > 0) lines.push(`  lanes: ${lanes.join(' · ')}`)
  return [...lines, ...throneTexts(settled, nameOf)].join('\n')
}

function titleOf({ before }: Settled, nameOf: NameOf): string {
  const { duel, epoch, protocol, champion } = before
  const named = (miner: Miner | undefined): string => (miner ? nameOf(miner.hotkey) : 'nobody')
  let turn = ''
  if (duel) turn = `, epoch ${epoch - duel.start + 1} of at most ${protocol.duelEpochs}`
  const seats = `${named(champion)} holds the throne, ${named(duel?.contender)} contends${turn}`
  return `epoch ${epoch}  ${seats}. Ratio to beat ${share(duel?.ratio ?? before.ratio)}`
}

function laneTexts({ state, report }: Settled, nameOf: NameOf): readonly string[] {
  return Object.entries(report.lanes).map(([hotkey, lane]) => {
    const trust = share(trustOf(state.trust[hotkey]))
    return `${nameOf(hotkey)} ${laneText(lane)} (trust ${trust})`
  })
}

/** One decided epoch for machines. */
export function epochRecord(settled: Settled): object {
  const { before, state, report } = settled
  return {
    type: 'epoch',
    epoch: before.epoch,
    root: stateRoot(state),
    crowned: crownedIn(settled)?.hotkey,
    report: reportRecord(report),
  }
}

/** A report for machines: there, an environment's look is its `verdict`. */
export function reportRecord(report: Report): object {
  const envs = Object.entries(report.envs).map(([env, seen]) => {
    const { look: verdict, ...rest } = seen
    return [env, { ...rest, verdict }]
  })
  return { ...report, envs: Object.fromEntries(envs) }
}
