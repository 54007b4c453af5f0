import {
  type Decided,
  type DuelSnapshot,
  decide,
  encodeBitmap,
  type Facts,
  firstState,
  quotaOf,
  type State,
  stateRoot,
  type Tally,
} from '../../packages/duel/src/index.ts'
import { scored } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { streamOf } from './draw.ts'
import type { Fault, Lie } from './faults.ts'
import { strengthOf } from './miners.ts'
import type { World } from './world.ts'

const HASH = 'ab'.repeat(32)
const STAKE = 10_000_000_000n

/** An epoch decided, and who of the validators was there for it, by index. */
export interface DecidedEpoch extends Decided {
  readonly before: State
  readonly snapshot: DuelSnapshot
  readonly present: readonly number[]
}

/**
 * The decisions of a world's epochs without any bytes, a thousand times as fast as whole subnets:
 * whoever has no trouble in an epoch plays, seals, and attests what is whole.
 */
export function* decisionsOf(world: World, faults: readonly Fault[]): Generating<DecidedEpoch> {
  const random = streamOf(world.seed, 'decisions')
  let before = firstState(world.protocol, 0)
  while (before.epoch < world.epochs) {
    const { facts, present } = new EpochOf(world, faults, before).play(random)
    const decided = decide(before, facts)
    yield { ...decided, before, snapshot: facts.snapshot, present }
    before = decided.state
  }
}

type Generating<T> = globalThis.Generator<T, void, undefined>

class EpochOf {
  readonly #world: World
  readonly #faults: readonly Fault[]
  readonly #state: State

  constructor(world: World, faults: readonly Fault[], state: State) {
    this.#world = world
    this.#faults = faults
    this.#state = state
  }

  play(random: Generator): { readonly facts: Facts; readonly present: readonly number[] } {
    const { validators } = this.#world
    const present = validators.flatMap((_, who) => (this.#isAway(who) ? [] : [who]))
    const hotkeyOf = (who: number) => validators[who]?.hotkey ?? ''
    const drawn = present.map((who) => [hotkeyOf(who), this.#drawLane(who, random)] as const)
    const whole = present.filter((who) => !this.#lies(who, 'seals nothing', 'drops a sample'))
    const lanes = Object.fromEntries(
      drawn.filter(([hotkey]) => whole.some((who) => hotkeyOf(who) === hotkey)),
    )
    const isLed = leadIn(Object.values(lanes)) > 0
    const attesting = present.filter((who) => isLed || !this.#lies(who, 'attests what suits it'))
    const seals = Object.fromEntries(present.map((who) => [hotkeyOf(who), HASH]))
    const snapshot = this.#snapshot(attesting, new Set(whole.map(hotkeyOf)))
    return { facts: { snapshot, seals, lanes }, present }
  }

  #lies(who: number, ...hows: readonly Lie[]): boolean {
    return this.#faults.some(
      (fault) => fault.kind === 'lies' && fault.who === who && hows.includes(fault.how),
    )
  }

  #isAway(who: number): boolean {
    const { epochBlocks } = this.#world.protocol
    const [first, next] = [this.#state.epoch, this.#state.epoch + 1].map((e) => e * epochBlocks)
    return this.#faults.some(
      (fault) => fault.who === who && 'from' in fault && fault.from < next! && fault.to > first!,
    )
  }

  /** What a validator saw, or made up, in each environment. */
  #drawLane(who: number, random: Generator): Readonly<Record<string, Tally>> {
    const { duel, epoch, protocol } = this.#state
    const [c, p] = duel
      ? [strengthOf(this.#world, duel.contender), strengthOf(this.#world, duel.champion)]
      : [0, 0]
    const isMadeUp = this.#lies(who, 'makes samples up')
    const envs = Object.entries(protocol.envs).map(([env, constants]) => {
      const played = duel ? quotaOf(epoch - duel.start + 1, constants) : 0
      if (isMadeUp) return [env, scored(c < p ? all('wins', played) : all('losses', played))]
      const counts = { wins: 0, losses: 0, played }
      for (let i = 0; i < played; i++) {
        const [contender, champion] = [random.random() < c, random.random() < p]
        if (contender && !champion) counts.wins += 1
        if (champion && !contender) counts.losses += 1
      }
      return [env, scored(counts)]
    })
    return Object.fromEntries(envs)
  }

  #snapshot(attesting: readonly number[], whole: ReadonlySet<string>): DuelSnapshot {
    const { miners, validators, stakes, protocol } = this.#world
    const { epoch, duel } = this.#state
    const root = stateRoot(this.#state)
    const bitsOf = (who: number): ReadonlySet<string> => {
      if (this.#lies(who, 'attests none')) return new Set()
      if (this.#lies(who, 'attests all')) return new Set(validators.map(({ hotkey }) => hotkey))
      return whole
    }
    const attestOf = (who: number) => ({
      epoch,
      bitmap: encodeBitmap(duel ?? { weights: {} }, bitsOf(who)),
      next: HASH,
      stateRoot: this.#lies(who, 'attests another state') ? HASH : root,
    })
    const last = (epoch + 1) * protocol.epochBlocks - 1
    const registered = miners.filter((miner) => miner.registered <= last)
    return {
      epoch: epoch + 1,
      protocol,
      hotkeys: [...validators, ...registered.map(({ account }) => account)].map(
        ({ hotkey }) => hotkey,
      ),
      validators: validators.map(({ hotkey }, who) => ({
        hotkey,
        stake: STAKE * BigInt(stakes[who] ?? 0),
        ...(attesting.includes(who) && { attest: attestOf(who) }),
      })),
      miners: registered.flatMap(({ account: { hotkey }, moves, registered }) => {
        const move = moves.filter(({ block }) => block <= last).at(-1)
        if (!move || move.strength === null) return []
        const revision = `r${moves.indexOf(move)}`
        const { block } = move
        return [{ hotkey, model: `m-${hotkey}`, revision, chute: 'c', block, registered }]
      }),
    }
  }
}

const all = (kind: 'wins' | 'losses', played: number) => ({
  wins: 0,
  losses: 0,
  played,
  [kind]: played,
})

/** The challenges that the contender won, without those that it lost. */
const leadIn = (lanes: readonly Readonly<Record<string, Tally>>[]): number =>
  lanes
    .flatMap((lane) => Object.values(lane))
    .reduce((sum, { wins, losses }) => sum + wins - losses, 0)
