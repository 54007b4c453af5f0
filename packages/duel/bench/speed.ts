import { Bench } from 'tinybench'
import {
  type Duel,
  type DuelSnapshot,
  decide,
  type Facts,
  firstState,
  judgeEnvironment,
  listTallies,
  PROTOCOL,
  type State,
  stateRoot,
} from '../src/index.ts'
import { laneOf, miner } from '../test/subnet.ts'

/**
 * Returns the state of a subnet with this many validators in the third epoch of eight open duels,
 * and the facts that decide the epoch.
 */
function running(validators: number): { state: State; facts: Facts } {
  const voters = Array.from({ length: validators }, (_, i) => `validator ${i}`)
  const miners = Array.from({ length: 9 }, (_, i) => miner(`m${i}`, i))
  const seals = Object.fromEntries(voters.map((hotkey) => [hotkey, '1'.repeat(64)]))
  let state = firstState(PROTOCOL, 0)
  for (;;) {
    // Lanes differ, so that without a third of them there is neither a win nor a hold.
    const laneAt = (place: number) =>
      laneOf(state, (played) => {
        const wins = Math.round(played * (place % 2 === 0 ? 0.3 : 0.225))
        const losses = played / 2 - wins
        return [wins, losses, 1_000_000 * wins, 1_000_000 * losses]
      })
    const lanes = Object.fromEntries(voters.map((hotkey, place) => [hotkey, laneAt(place)]))
    const attest = {
      epoch: state.epoch,
      bitmap: new Uint8Array(16).fill(255),
      next: '2'.repeat(64),
      stateRoot: stateRoot(state),
    }
    const snapshot: DuelSnapshot = {
      epoch: state.epoch + 1,
      protocol: PROTOCOL,
      hotkeys: [...voters, ...miners.map(({ hotkey }) => hotkey)],
      validators: voters.map((hotkey) => ({ hotkey, stake: 10n ** 12n, attest })),
      miners,
    }
    const facts = { snapshot, seals, lanes }
    if (state.epoch === 4) return { state, facts }
    state = decide(state, facts).state
  }
}

/** Prints the time of a decision. */
export async function printSpeed(): Promise<void> {
  const bench = new Bench({ time: 500 })
  for (const validators of [5, 64]) {
    const { state, facts } = running(validators)
    const { voters: weights, ratio: ratioPpm, duels } = state
    const [duel] = duels as [Duel]
    const epochs = listTallies(duel, 'mult8@0.1.0', PROTOCOL)
    const lane = { weights, epochs, ratioPpm, rule: PROTOCOL }
    bench.add(`decide, ${validators} validators`, () => void decide(state, facts).state)
    bench.add(`judgeEnvironment, ${validators} lanes`, () => void judgeEnvironment(lane))
  }
  await bench.run()
  console.table(bench.table())
}
