import { join } from 'node:path'
import {
  describeEpoch,
  type EnvFacts,
  type HotkeyFormatter,
  type Line,
  listed,
  percent,
  percentRange,
} from '@affine/report'
import type { EpochResult } from '@affine/settlement'
import { formatCommand } from '@affine/terminal'
import { LIAR, type Participants } from './subnet.ts'

export function formatIntro({ seed, validators, miners }: Participants): string {
  const [first = '', ...others] = miners.map(({ name, skill }) => `${name} ${skill}`)
  const honest = validators.map(({ name }) => name).filter((name) => name !== LIAR)
  return [
    `Seed ${seed}. Miners by skill: ${first}, then ${listed(others)} at once`,
    `Validators: ${honest.join(', ')}, and ${LIAR}, which invents the replies of miners`,
  ].join('\n')
}

export const formatOutcome = (
  epochs: readonly EpochResult[],
  nameOf: HotkeyFormatter,
): readonly Line[] => [...formatSuspect(epochs, nameOf), ...formatWinner(epochs, nameOf)]

/** Returns the contender's share of the decisive challenges, in ppm. */
const computeRate = ({ wins, losses }: Pick<EnvFacts, 'wins' | 'losses'>): number =>
  Math.floor((1_000_000 * wins) / (wins + losses))

/**
 * Returns a warning about the liar, which quotes one of the liar's tallies that were set aside: the
 * tally with the most decisive challenges. Returns no line if none was set aside.
 */
function formatSuspect(epochs: readonly EpochResult[], nameOf: HotkeyFormatter): readonly Line[] {
  const suspects = epochs.flatMap(({ report }) =>
    report.duels.flatMap(({ contender, envs }) =>
      Object.entries(envs).flatMap(([env, { tallies, setAside }]) => {
        const entries = Object.entries(tallies)
        const own = entries.find(([hotkey]) => nameOf(hotkey) === LIAR)
        if (own === undefined || !setAside.includes(own[0])) return []
        const others = entries.filter(([hotkey]) => !setAside.includes(hotkey))
        const played = others.filter(([, { wins, losses }]) => wins + losses > 0)
        const rates = played.map(([, tally]) => computeRate(tally)).sort((a, b) => a - b)
        return [{ contender, env, own: own[1], rates }]
      }),
    ),
  )
  const [worst] = suspects.sort((a, b) => b.own.wins + b.own.losses - a.own.wins - a.own.losses)
  if (worst === undefined) return []
  const { own, env, rates, contender } = worst
  const claim = `${own.wins} of ${own.wins + own.losses} wins of ${nameOf(contender.hotkey)}`
  const others = percentRange({ lower: rates[0] ?? 0, upper: rates.at(-1) ?? 0 })
  const name = env.replace(/@.*/, '') // without the version
  const text = `${LIAR} is suspect: it counts ${claim} at ${name}, others ${others}`
  return [{ text, tone: 'warning' }]
}

/** Returns the result of the new champion's duel, by the last analysis of each environment. */
function formatWinner(epochs: readonly EpochResult[], nameOf: HotkeyFormatter): readonly Line[] {
  const duels = epochs
    .map(describeEpoch)
    .flatMap(({ ratio, duels }) => duels.map((duel) => ({ ratio: percent(ratio), ...duel })))
  const crowned = duels.find(({ end }) => end === 'crowned')
  if (crowned === undefined) return []
  const { contender, start, wins, counted, needed, ratio } = crowned
  const own = duels.filter((each) => each.contender.hotkey === contender.hotkey)
  const analyses = own.filter((each) => each.start === start).flatMap((each) => each.analyses)
  const latestByEnv = new Map(analyses.map((analysis) => [analysis.env, analysis]))
  const sum = (of: 'wins' | 'losses'): number =>
    [...latestByEnv.values()].reduce((total, analysis) => total + analysis[of], 0)
  const counts = { wins: sum('wins'), losses: sum('losses') }
  const name = nameOf(contender.hotkey)
  const all = `${counts.wins + counts.losses} challenges in which one of the two did better`
  const text = `${name} won ${percent(computeRate(counts))} of the ${all}; ${ratio} were needed`
  const sure = `at least ${percent(crowned.surePpm)} of contenders exactly at ${ratio} fail`
  const margin = `How sure: ${sure}; ${name} won ${wins} of ${counted}, ${needed} needed`
  return [{ text, tone: 'good' }, margin]
}

export const formatRerunHint = (seed: string): string =>
  `Show it: ${formatCommand('af')} demo --seed ${seed} --open (or --verbose, for the numbers)`

/** Returns commands to try next with the files in `out`. */
export function formatFilesHint(out: string, envModule?: string): string {
  const files = `${join(out, 'buckets')} --network ${join(out, 'chain.json')}`
  const modules = envModule ? ` --env-module ${envModule}` : ''
  const verification = `$ ${formatCommand('af-verify')} ${files}${modules} --epoch 2`
  const page = `$ ${formatCommand('af')} serve ${files}`
  return `\nAll files are in ${out}. Try next:\n  ${verification}\n  ${page}`
}
