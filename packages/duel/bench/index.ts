import { walk } from '@affine/wilson'
import { Bench } from 'tinybench'
import {
  type DuelSnapshot,
  decide,
  type Facts,
  firstState,
  judgeEnvironment,
  loneRuleOf,
  PROTOCOL,
  quotaOf,
  ruleOf,
  type State,
  stateRoot,
} from '../src/index.ts'
import { scored } from '../test/subnet.ts'
import {
  BLOCKS,
  dethronementsAYear,
  equal,
  LIES,
  leastFloor,
  liarsAmong,
  POWER,
  type Shares,
  type Strategy,
  simulate,
  skewed,
  TABLE,
  zipf,
} from './simulation.ts'

/**
 * A subnet with this many validators in the third epoch of an open duel, and what it is decided
 * from.
 */
function running(validators: number): { state: State; facts: Facts } {
  const voters = Array.from({ length: validators }, (_, i) => `validator ${i}`)
  const miners = ['champion', 'contender'].map((hotkey, block) => ({
    hotkey,
    model: hotkey,
    revision: 'main',
    chute: hotkey,
    block,
    registered: 0,
  }))
  const seals = Object.fromEntries(voters.map((hotkey) => [hotkey, '1'.repeat(64)]))
  let state = firstState(PROTOCOL, 0)
  for (;;) {
    const played = state.duel ? quotaOf(state.epoch - state.duel.start + 1, PROTOCOL) : 0
    const tally = scored({ wins: Math.ceil(played * 0.27), losses: played >> 2, played })
    const lane = Object.fromEntries(Object.keys(PROTOCOL.envs).map((env) => [env, tally]))
    const lanes = Object.fromEntries(voters.map((hotkey) => [hotkey, lane]))
    const attest = {
      epoch: state.epoch,
      bitmap: new Uint8Array(16).fill(255),
      next: '2'.repeat(64),
      stateRoot: stateRoot(state),
    }
    const snapshot: DuelSnapshot = {
      epoch: state.epoch + 1,
      protocol: PROTOCOL,
      hotkeys: [...voters, 'champion', 'contender'],
      validators: voters.map((hotkey) => ({ hotkey, stake: 10n ** 12n, attest })),
      miners,
    }
    const facts = { snapshot, seals, lanes }
    if (state.epoch === 3) return { state, facts }
    state = decide(state, facts)
  }
}

const bench = new Bench({ time: 500 })
for (const validators of [5, 64]) {
  const { state, facts } = running(validators)
  const { weights, tallies, ratio: ratioPpm } = state.duel as NonNullable<State['duel']>
  const lane = {
    weights,
    epochs: Object.values(tallies)[0] ?? [],
    ratioPpm,
    rule: ruleOf(PROTOCOL),
  }
  bench.add(`decide, ${validators} validators`, () => void decide(state, facts))
  bench.add(`judgeEnvironment, ${validators} lanes`, () => void judgeEnvironment(lane))
}
await bench.run()
console.table(bench.table())

/** The worst of these strategies for `pick`, and its name. */
function worstOf(
  strategies: readonly Strategy[],
  pick: typeof Math.max,
  shares: (strategy: Strategy) => Shares,
): string {
  const all = strategies.map((strategy) => ({ strategy, ...shares(strategy) }))
  const worst = pick(...all.map(({ won }) => won))
  const slowest = all.filter(({ won }) => won === worst).sort((a, b) => b.challenges - a.challenges)
  const { strategy, challenges } = slowest[0] ?? { strategy: '', challenges: 0 }
  return `${worst.toFixed(4)} (${strategy}, ${challenges.toFixed(0)} challenges a lane)`
}

const [DETHRONES, POWERS] = [2000, 600]
const seed = BigInt(process.argv[2] ?? 20_260_101)

const atRatioSeen = new Map<string, Shares>()

/** Duels of a contender exactly at the ratio, nothing tied, in an environment alone or not. */
function atRatio(weights: readonly number[], strategy: Strategy, alone: boolean): Shares {
  const key = `${weights} ${strategy} ${alone}`
  const rule = alone ? loneRuleOf(PROTOCOL) : ruleOf(PROTOCOL)
  const shares =
    atRatioSeen.get(key) ?? simulate({ weights, p: 0.51, tied: 0, strategy }, DETHRONES, seed, rule)
  atRatioSeen.set(key, shares)
  return shares
}

/** Prints what duels among these validators come to: shares of duels that the contender wins. */
function printRow(name: string, weights: readonly number[], promised?: (typeof TABLE)[number]) {
  const better = (strategy: Strategy, p: number) =>
    simulate({ weights, p, tied: 0.2, strategy }, POWERS, seed)
  const say = (what: string, seen: string, want: unknown) =>
    console.log(`  ${what.padEnd(24)} ${seen}${want === undefined ? '' : `, promised ${want}`}`)
  console.log(`\n${name}, ${liarsAmong(weights).length} of ${weights.length} lie`)
  say('p = R, honest', atRatio(weights, 'honest', false).won.toFixed(4), undefined)
  say(
    'p = R, liars',
    worstOf(LIES, Math.max, (lie) => atRatio(weights, lie, false)),
    promised?.worst,
  )
  say(
    'p = R, liars, alone',
    worstOf(LIES, Math.max, (lie) => atRatio(weights, lie, true)),
    0.0025,
  )
  for (const [i, p] of POWER.entries()) {
    const { won, challenges } = better('honest', p)
    const want = promised && `${promised.power[i]}, ${promised.challenges[i]}`
    say(`p = ${p}, honest`, `${won.toFixed(2)}, ${challenges.toFixed(0)} challenges a lane`, want)
  }
  say(
    'p = 0.6, liars',
    worstOf(BLOCKS, Math.min, (lie) => better(lie, 0.6)),
    promised?.against,
  )
}

/** The worst of a year against liars who know how many environments there are. */
function yearOf(weights: readonly number[], envs: number): string {
  const years = [...LIES, 'honest' as const].map((strategy) => ({
    strategy,
    year: dethronementsAYear(atRatio(weights, strategy, envs === 1), envs),
  }))
  const [worst] = years.sort((a, b) => b.year - a.year)
  return `${worst?.year.toFixed(2)} (${worst?.strategy})`
}

/** A validator by itself that looks after every challenge, exactly. */
function yearOfOne(envs: number): string {
  const rule = envs === 1 ? loneRuleOf(PROTOCOL) : ruleOf(PROTOCOL)
  const { win, expectedTrials } = walk({ p: 0.51, ratioPpm: 510_000, rule })
  let [epochs, challenges] = [0, 0]
  while (challenges < expectedTrials) challenges += quotaOf(++epochs, PROTOCOL)
  return dethronementsAYear({ won: win, epochs, challenges, error: 0 }, envs).toFixed(2)
}

console.log('\nFalse dethronements a year, with contenders exactly at the ratio all the time:')
for (const envs of [1, 2, 3, 4]) {
  const rows = [4, 7, 16, 64].map((lanes) => `${lanes} lanes ${yearOf(equal(lanes), envs)}`)
  console.log(`  ${envs} environments: one lane ${yearOfOne(envs)}, ${rows.join(', ')}`)
}

console.log(
  '\nThe least z of the floor alone with which the worst lie wins at most .0025 at p = R:',
)
for (const [name, weights] of [
  ['4 lanes', equal(4)],
  ['7 lanes', equal(7)],
  ['16 lanes', equal(16)],
  ['7 lanes, skewed', skewed(7)],
  ['4 lanes, Zipf', zipf(4)],
] as const) {
  const cells = LIES.map((strategy) => ({ weights, p: 0.51, tied: 0, strategy }))
  const least = Math.max(...cells.map((cell) => leastFloor(cell, DETHRONES, seed, 0.0025)))
  console.log(`  ${name}: ${least.toFixed(2)}`)
}

console.log('\nShares of duels that the contender wins, in one environment:')
for (const row of TABLE) printRow(`${row.lanes} lanes of equal weight`, equal(row.lanes), row)
for (const lanes of [7, 16, 64]) printRow(`${lanes} lanes, skewed`, skewed(lanes))
printRow('4 lanes, Zipf', zipf(4))
for (const [lanes, absent] of [
  [7, 1],
  [16, 1],
  [16, 3],
  [64, 11],
] as const) {
  const cell = { weights: equal(lanes), p: 0.51, tied: 0, absent }
  const worst = worstOf(LIES, Math.max, (strategy) =>
    simulate({ ...cell, strategy }, DETHRONES, seed),
  )
  console.log(`\n${lanes} lanes, a third lies and ${absent} absent: p = R ${worst}, promised 0.05`)
}
