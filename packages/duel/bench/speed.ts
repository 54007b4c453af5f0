import { Bench } from 'tinybench'
import {
  type DuelSnapshot,
  decide,
  type Facts,
  firstState,
  judgeEnvironment,
  PROTOCOL,
  quotasOf,
  ruleOf,
  type State,
  stateRoot,
} from '../src/index.ts'
import { scored } from '../test/subnet.ts'

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
    const lane = Object.fromEntries(
      Object.entries(quotasOf(state)).map(([env, played]) => {
        const counts = { wins: Math.ceil(played * 0.27), losses: played >> 2, played }
        return [env, scored(counts)]
      }),
    )
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
    state = decide(state, facts).state
  }
}

/** How long a decision takes. */
export async function printSpeed(): Promise<void> {
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
    bench.add(`decide, ${validators} validators`, () => void decide(state, facts).state)
    bench.add(`judgeEnvironment, ${validators} lanes`, () => void judgeEnvironment(lane))
  }
  await bench.run()
  console.table(bench.table())
}
