import { Bench } from 'tinybench'
import {
  type DuelSnapshot,
  decide,
  type Facts,
  firstState,
  judgeEnvironment,
  PROTOCOL,
  quotaOf,
  ruleOf,
  type State,
  stateRoot,
} from '../src/index.ts'
import { AGAINST, LIES, POWER, simulate, TABLE } from './simulation.ts'

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
  }))
  const seals = Object.fromEntries(voters.map((hotkey) => [hotkey, '1'.repeat(64)]))
  let state = firstState(PROTOCOL, 0)
  for (;;) {
    const played = state.duel ? quotaOf(state.epoch - state.duel.start + 1, PROTOCOL) : 0
    const tally = { wins: Math.ceil(played * 0.27), losses: played >> 2, played }
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
    tallies: Object.values(tallies)[0] ?? {},
    ratioPpm,
    rule: ruleOf(PROTOCOL),
  }
  bench.add(`decide, ${validators} validators`, () => void decide(state, facts))
  bench.add(`judgeEnvironment, ${validators} lanes`, () => void judgeEnvironment(lane))
}
await bench.run()
console.table(bench.table())

console.log(
  'The table of the specification, simulated: measured (specified). Each cell is a share of duels won.',
)
const [DETHRONES, POWERS] = [2000, 600]
const seed = BigInt(process.argv[2] ?? 20_260_101)
for (const { lanes, worst, power, challenges, against } of TABLE) {
  const run = (
    p: number,
    tied: number,
    strategy: Parameters<typeof simulate>[0]['strategy'],
    duels: number,
  ) => simulate({ lanes, p, tied, strategy }, duels, seed)
  const lies = LIES.map(
    (strategy) => `${strategy} ${run(0.51, 0, strategy, DETHRONES).won.toFixed(4)}`,
  )
  console.log(`\n${lanes} lanes`)
  console.log(
    `  p = R, honest              ${run(0.51, 0, 'honest', DETHRONES).won.toFixed(4)} (0.000)`,
  )
  console.log(`  p = R, liars               ${lies.join(', ')} (worst ${worst})`)
  for (const [i, p] of POWER.entries()) {
    const { won, challenges: mean } = run(p, 0.2, 'honest', POWERS)
    const want = `(${power[i]?.toFixed(2)}, ${challenges[i]})`
    console.log(
      `${`  p = ${p}, honest`.padEnd(29)}${won.toFixed(2)}, ${mean.toFixed(0)} challenges a lane ${want}`,
    )
  }
  for (const [i, strategy] of AGAINST.entries()) {
    const { won } = run(0.6, 0.2, strategy, POWERS)
    console.log(
      `${`  p = 0.6, ${strategy}`.padEnd(29)}${won.toFixed(2)} (${against[i]?.toFixed(2)})`,
    )
  }
  console.log(
    `${`  p = 0.6, down, to the edge`.padEnd(29)}${run(0.6, 0.2, 'down', POWERS).won.toFixed(2)}`,
  )
}
