import type { Duel, State } from '@affine/duel'
import type { Recomputed } from '@affine/settlement'
import { epochText, type NameOf, shortHotkey } from '@affine/terminal'
import { type Deeds, ROLES } from './miner-lanes.ts'

const WHY = {
  win:
    'win, as without the third of the weight most in its favour ' +
    'the contender still leads the ratio to beat by enough',
  hold:
    'hold, as what is left until the cap of decisive challenges ' +
    'cannot plausibly make it a win',
  even: 'even, as too few challenges tell the two apart, so it counts for neither',
  none: 'no verdict',
}

/** An epoch of a duel, as it was for one of the two. */
export interface Turn {
  readonly hotkey: string
  readonly role: (typeof ROLES)[number]
  readonly settled: Recomputed
  readonly duel: Duel
  readonly challenges: number
  /** To how many of them it gave a usable reply every time. */
  readonly answered: number
  /** How often it forfeited in each way, as in "3 illegal". */
  readonly forfeits: readonly string[]
}

/** A miner's turn in an epoch, by what it did in the lanes that count; undefined without a duel. */
export function turnOf(hotkey: string, settled: Recomputed, deeds: Deeds): Turn | undefined {
  const { duel } = settled.before
  const role = ROLES.find((side) => duel?.[side].hotkey === hotkey)
  if (duel === undefined || role === undefined) return undefined
  const { challenges } = deeds
  const answered = challenges - deeds.forfeits.filter((way) => way === 'no-reply').length
  return { hotkey, role, settled, duel, challenges, answered, forfeits: countWays(deeds.forfeits) }
}

function countWays(forfeits: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const way of forfeits) counts.set(way, (counts.get(way) ?? 0) + 1)
  return [...counts].map(([way, count]) => `${count} ${way}`)
}

/** How everybody is called in what is told of one miner. */
export function namesFor(hotkey: string): NameOf {
  return (name) => (name === hotkey ? 'this miner' : shortHotkey(name))
}

/** A turn as lines for people. */
export function turnText(turn: Turn): string {
  const { hotkey, settled, challenges, forfeits } = turn
  const { before } = settled
  const ways = forfeits.join(', ') || 'none'
  return [
    ...answerTexts(turn),
    epochText(settled, namesFor(hotkey)),
    ...Object.keys(before.protocol.envs).map((env) => `  ${env}: ${verdictText(env, turn)}`),
    `  forfeited by this miner, of ${challenges} challenges in lanes that count: ${ways}`,
    ...endingTexts(turn),
  ].join('\n')
}

/** The answer in plain words, once there is one. Protocol §8.7. */
function answerTexts({ role, duel, challenges, answered, settled }: Turn): readonly string[] {
  const { before, report } = settled
  if (report.outcome === undefined) return []
  const { envs, margin } = before.protocol
  const verdicts = Object.keys(envs).map((env) => report.envs[env]?.given ?? duel.verdicts[env])
  const counted = verdicts.filter((verdict) => verdict !== 'even')
  const wins = counted.filter((verdict) => verdict === 'win').length
  const needed = Math.ceil((counted.length + margin) / 2)
  const ending = report.outcome === role ? 'You won' : 'You lost'
  const whose = role === 'champion' ? 'the contender has ' : ''
  const counts = `${wins} of ${counted.length} environments, ${needed} needed`
  const asked = `${answered} of ${challenges} challenges in lanes that count`
  return [`${ending}: ${whose}${counts}. In this epoch your endpoint answered ${asked}.`]
}

/** An environment's verdict, and what it means. */
function verdictText(env: string, { settled, duel }: Turn): string {
  return WHY[settled.report.envs[env]?.given ?? duel.verdicts[env] ?? 'none']
}

/** How the duel ended, if it did. */
function endingTexts({ role, settled: { before, report } }: Turn): readonly string[] {
  if (report.outcome === undefined) return []
  const ending = report.outcome === role ? 'won' : 'lost'
  return [`  it ${ending}: the contender needs at least ${needText(before)}`]
}

/** Protocol §8.7. */
function needText({ protocol: { margin, duelEpochs } }: State): string {
  const wins = `(n + ${margin}) / 2 wins in the n environments that are not even`
  return `${wins}, in ${duelEpochs} epochs`
}
