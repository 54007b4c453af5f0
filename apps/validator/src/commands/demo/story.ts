import { join } from 'node:path'
import {
  type EnvFacts,
  epochFacts,
  type Line,
  listed,
  type NameOf,
  percent,
  percentRange,
} from '@affine/report'
import type { Settled } from '@affine/settlement'
import { programName } from '../../service/program-name.ts'
import { type Cast, LIAR } from './cast.ts'

/** Who competes, and who judges. */
export function introText({ seed, validators, miners }: Cast): string {
  const [first = '', ...others] = miners.map(({ name, skill }) => `${name} ${skill}`)
  const honest = validators.map(({ name }) => name).filter((name) => name !== LIAR)
  return [
    `Seed ${seed}. Miners by skill: ${first}, then ${listed(others)} at once`,
    `Validators: ${honest.join(', ')}, and ${LIAR}, which invents what the miners reply`,
  ].join('\n')
}

/** What the whole run shows: the validator that is suspect, and the miner that won. */
export const outcomeLines = (epochs: readonly Settled[], nameOf: NameOf): readonly Line[] => [
  ...suspectLines(epochs, nameOf),
  ...winnerLines(epochs, nameOf),
]

/** Of the challenges that were not tied, the share that the contender won, in ppm. */
const rateOf = ({ wins, losses }: Pick<EnvFacts, 'wins' | 'losses'>): number =>
  Math.floor((1_000_000 * wins) / (wins + losses))

/** Where the liar's counts were the most, and too far from the others' to count. */
function suspectLines(epochs: readonly Settled[], nameOf: NameOf): readonly Line[] {
  const looks = epochs.flatMap(({ report }) =>
    report.duels.flatMap(({ contender, envs }) =>
      Object.entries(envs).flatMap(([env, { tallies, setAside }]) => {
        const entries = Object.entries(tallies)
        const own = entries.find(([hotkey]) => nameOf(hotkey) === LIAR)
        if (own === undefined || !setAside.includes(own[0])) return []
        const others = entries.filter(([hotkey]) => !setAside.includes(hotkey))
        const played = others.filter(([, { wins, losses }]) => wins + losses > 0)
        const rates = played.map(([, tally]) => rateOf(tally)).sort((a, b) => a - b)
        return [{ contender, env, own: own[1], rates }]
      }),
    ),
  )
  const [worst] = looks.sort((a, b) => b.own.wins + b.own.losses - a.own.wins - a.own.losses)
  if (worst === undefined) return []
  const { own, env, rates, contender } = worst
  const claim = `${nameOf(contender.hotkey)} won ${own.wins} of ${own.wins + own.losses}`
  const others = percentRange({ lower: rates[0] ?? 0, upper: rates.at(-1) ?? 0 })
  const text = `${LIAR} is suspect: ${claim} at ${nameIn(env)} by it, ${others} by the others`
  return [{ text, tone: 'warning' }]
}

/** By how much the crowned contender won, in the last look at each environment. */
function winnerLines(epochs: readonly Settled[], nameOf: NameOf): readonly Line[] {
  const facts = epochs.map(epochFacts)
  const crowning = facts.find(({ duels }) => duels.some(({ end }) => end === 'crowned'))
  const crowned = crowning?.duels.find(({ end }) => end === 'crowned')
  if (crowning === undefined || crowned === undefined) return []
  const { contender, start, wins, counted, needed } = crowned
  const duels = facts.flatMap((each) =>
    each.duels.filter((duel) => duel.contender.hotkey === contender.hotkey && duel.start === start),
  )
  const looks = new Map(duels.flatMap((duel) => duel.looks).map((look) => [look.env, look]))
  const sum = (of: 'wins' | 'losses'): number =>
    [...looks.values()].reduce((all, look) => all + look[of], 0)
  const counts = { wins: sum('wins'), losses: sum('losses') }
  const [name, ratio] = [nameOf(contender.hotkey), percent(crowning.ratio)]
  const sure = `at least ${percent(crowned.surePpm)} of contenders exactly at ${ratio} fail`
  const all = `${counts.wins + counts.losses} challenges that only one of the two solved`
  return [
    {
      text: `${name} won ${percent(rateOf(counts))} of the ${all}; ${ratio} were needed`,
      tone: 'good',
    },
    `How sure: ${sure}; ${name} won ${wins} of ${counted}, ${needed} needed`,
  ]
}

/** An environment without its version. */
const nameIn = (env: string): string => env.replace(/@.*/, '')

/** What can be done after a run that kept no files. */
export const againText = (seed: string): string =>
  `Look at it: ${programName('af')} demo --seed ${seed} --open (or --verbose, for the numbers)`

/** What can be done with the files in the folder `out`. If the page is open, not how to open it. */
export function filesText(out: string, isOpen = false): string {
  const af = programName('af')
  const what = `${join(out, 'buckets')} --network ${join(out, 'chain.json')}`
  const verify = `${programName('af-verify')} ${what}`
  const look = `
  look at it, at http://127.0.0.1:8080/ in a browser
    $ ${af} serve ${what}`
  return `
All files are in ${out}. Try next:${isOpen ? '' : look}
  verify again
    $ ${verify}
  look at one epoch
    $ ${verify} --epoch 2
  replay a challenge
    $ ${verify} --epoch 2 --sample mult8@0.1.0#0
  change one byte in any block or state of the buckets, and verify again: it will fail
  play one yourself
    $ ${af} env run tictactoe-v0`
}
