import type { Sample } from '@affine/blocks'
import { type Miner, type Protocol, type Report, type Tally, trust } from '@affine/duel'
import { normalise } from '@affine/envs'
import { interval } from '@affine/wilson'
import type { Settled } from './settle.ts'

/** Text from outside, on one line and without anything a terminal would act on. */
export function printable(text: string, most = 200): string {
  const line = normalise(text).replaceAll('\n', '⏎')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** A share in ppm as three decimals. */
export const share = (ppm: number): string => (ppm / 1_000_000).toFixed(3)

/** How hotkeys and miners are called on the screen. */
export type NameOf = (hotkey: string) => string

/** A hotkey by its first and last letters. */
export const shortHotkey: NameOf = (hotkey) =>
  printable(`${hotkey.slice(0, 6)}…${hotkey.slice(-4)}`)

/**
 * A tally's Wilson interval drawn against the ratio to beat, for the eye: nothing is decided from
 * it.
 */
export function drawInterval(
  tally: { wins: number; trials: number },
  z: number,
  ratioPpm: number,
): string {
  if (tally.trials === 0) return '[      no decisive trial       ]'
  const { lower, upper } = interval({ ...tally, z })
  const at = (x: number) => Math.min(29, Math.floor(x * 30))
  const cells: string[] = Array.from({ length: 30 }, (_, i) =>
    i >= at(lower) && i <= at(upper) ? '━' : ' ',
  )
  cells[at(ratioPpm / 1_000_000)] = '┃'
  return `[${cells.join('')}] ${lower.toFixed(3)}…${upper.toFixed(3)}`
}

type EnvReport = Pick<Report['envs'][string], 'win' | 'tallies' | 'setAside'>

/**
 * An environment on a line: what the contender won, lost and tied in the lanes that are not set
 * aside, and the interval of what of it counts for a win.
 */
export function envText(
  env: string,
  seen: EnvReport,
  ratioPpm: number,
  { zSquaredPpm }: Protocol,
): string {
  const counted = Object.entries(seen.tallies).filter(([hotkey]) => !seen.setAside.includes(hotkey))
  const sum = (kind: keyof Tally) => counted.reduce((n, [, tally]) => n + tally[kind], 0)
  const [wins, losses, played] = [sum('wins'), sum('losses'), sum('played')]
  const counts = `${wins} won, ${losses} lost, ${played - wins - losses} tied`.padEnd(32)
  const whole = (count: bigint) => Number(count) / Number(seen.win.unit)
  const tally = { wins: whole(seen.win.wins), trials: whole(seen.win.trials) }
  return `  ${env.padEnd(16)} ${counts} ${drawInterval(tally, Math.sqrt(zSquaredPpm / 1_000_000), ratioPpm)}`
}

/** What became of a lane. */
export function laneText({ sealed, whole, accepted, setAside }: Report['lanes'][string]): string {
  if (setAside.length > 0) return `✘ set aside in ${setAside.join(', ')}`
  return accepted
    ? '✔'
    : `✘ ${!sealed ? 'not sealed' : !whole ? 'not whole' : 'not attested by half'}`
}

/**
 * One decided epoch as lines for people: the duel, its environments, its lanes, and what came of
 * it.
 */
export function epochText(
  { before, state, report }: Settled,
  nameOf: NameOf = shortHotkey,
): string {
  const { duel, epoch, protocol, champion } = before
  const ratio = duel?.ratio ?? before.ratio
  const named = (miner?: Miner) => (miner === undefined ? 'nobody' : nameOf(miner.hotkey))
  const [holder, rival] = [named(duel?.champion ?? champion), named(duel?.contender)]
  const turn = duel ? `, epoch ${epoch - duel.start + 1} of at most ${protocol.duelEpochs}` : ''
  const lines = [
    `epoch ${epoch}  ${holder} holds the throne, ${rival} contends${turn}. Ratio to beat ${share(ratio)}`,
  ]
  for (const [env, seen] of Object.entries(report.envs))
    lines.push(
      `${envText(env, seen, ratio, protocol)} → ${seen.given ?? (report.frozen ? 'frozen' : 'go on')}`,
    )
  const lanes = Object.entries(report.lanes).map(([hotkey, lane]) => {
    const trusted = share(trust(state.trust[hotkey] ?? { correct: 0, incorrect: 0 }))
    return `${nameOf(hotkey)} ${laneText(lane)} (trust ${trusted})`
  })
  if (lanes.length > 0) lines.push(`  lanes: ${lanes.join(' · ')}`)
  if (report.outcome === 'champion') lines.push(`  ${holder} keeps the throne, ${rival} fails`)
  if (report.outcome === 'contender')
    lines.push(`  ★ ${rival} dethrones ${holder}. The ratio to beat becomes ${share(state.ratio)}`)
  return lines.join('\n')
}

/** A sample as lines for people, every message in full. */
export function sampleText(sample: Sample, validator: string, block: string): string {
  const episodes = (['champion', 'contender'] as const).flatMap((side) => {
    const { miner, messages, reward, fault } = sample[side]
    const said = messages.map(
      ({ role, content }) => `    ${role === 'user' ? '>' : '<'} ${printable(content, 2000)}`,
    )
    return [
      `  ${side} ${miner}: reward ${reward}${fault === undefined ? '' : `, forfeited: ${fault}`}`,
      ...said,
    ]
  })
  const { env, index, challengeId, verdict } = sample
  const title = `${env}#${index}, challenge ${challengeId}: ${verdict} for the contender`
  return [title, `  in block ${block} of ${validator}`, ...episodes].join('\n')
}
