import {
  type Candidate,
  computeQuotas,
  decide,
  encodeBitmap,
  firstState,
  type State,
} from '../../packages/duel/src/index.ts'
import { epochOf, type Scene } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { type LaneRates, leadIn } from '../attacks/deciding.ts'
import { streamOf } from './draw.ts'
import type { Fault, Lie } from './faults.ts'
import { strengthOf } from './miners.ts'
import type { EpochDecision } from './throne-watch.ts'
import type { World } from './world.ts'

const HASH = 'ab'.repeat(32)
const STAKE = 10_000_000_000n

/** A decided epoch, and the indices of the validators present. */
export type DecidedEpoch = EpochDecision & { readonly present: readonly number[] }

/**
 * Yields a world's epochs, decided without blocks or buckets, a thousand times as fast as a subnet.
 * Each validator without trouble in an epoch plays, seals, and attests the valid lanes.
 */
export function* decisionsOf(world: World, faults: readonly Fault[]): Iterable<DecidedEpoch> {
  const random = streamOf(world.seed, 'decisions')
  let before = firstState(world.protocol, 0)
  while (before.epoch < world.epochs) {
    const { facts, present } = playEpoch({ world, faults, state: before }, random)
    const decided = decide(before, facts)
    yield { ...decided, before, snapshot: facts.snapshot, present }
    before = decided.state
  }
}

interface EpochInput {
  readonly world: World
  readonly faults: readonly Fault[]
  /** The state that governs the epoch. */
  readonly state: State
}

function playEpoch(input: EpochInput, random: Generator) {
  const { world, state } = input
  const hotkeys = world.validators.map(({ hotkey }) => hotkey)
  const here = hotkeys.map((_, who) => !isAway(input, who))
  const isVoid = (who: number) => lies(input, who, 'seals nothing', 'drops a sample')
  const where = (isMeant: (who: number) => boolean) => hotkeys.filter((_, who) => isMeant(who))
  const scene: Scene = {
    validators: hotkeys,
    stakes: Object.fromEntries(
      hotkeys.map((hotkey, who) => [hotkey, STAKE * BigInt(world.stakes[who] ?? 0)]),
    ),
    protocol: world.protocol,
    miners: minersOf(input),
    unsealed: where((who) => !here[who]),
    broken: where((who) => !here[who] || isVoid(who)),
    rates: drawLanes(input, random),
  }
  const { snapshot, ...facts } = epochOf(state, scene)
  const isLed = Object.values(facts.lanes).reduce((sum, lane) => sum + leadIn(lane), 0) > 0
  const validators = snapshot.validators.map(({ attest, ...validator }, who) => {
    const isSilent = !here[who] || (!isLed && lies(input, who, 'attests what suits it'))
    if (attest === undefined || isSilent) return validator
    return { ...validator, attest: { ...attest, ...falsify(input, who) } }
  })
  const registered = world.miners.filter((miner) => miner.registered <= lastBlock(input))
  const all = [...hotkeys, ...registered.map(({ account }) => account.hotkey)]
  return {
    facts: { ...facts, snapshot: { ...snapshot, validators, hotkeys: all } },
    present: hotkeys.flatMap((_, who) => (here[who] ? [who] : [])),
  }
}

const lies = ({ faults }: EpochInput, who: number, ...hows: readonly Lie[]): boolean =>
  faults.some((fault) => fault.kind === 'lies' && fault.who === who && hows.includes(fault.how))

const lastBlock = ({ world, state }: EpochInput): number =>
  (state.epoch + 1) * world.protocol.epochBlocks - 1

function isAway(input: EpochInput, who: number): boolean {
  const first = input.state.epoch * input.world.protocol.epochBlocks
  return input.faults.some(
    (fault) =>
      fault.who === who && 'from' in fault && fault.from <= lastBlock(input) && fault.to > first,
  )
}

/** Returns the changed fields of a validator's attestation. */
function falsify(input: EpochInput, who: number) {
  const { state, world } = input
  const all = new Set(world.validators.map(({ hotkey }) => hotkey))
  return {
    ...(lies(input, who, 'attests all') && { bitmap: encodeBitmap(state.voters, all) }),
    ...(lies(input, who, 'attests none') && { bitmap: encodeBitmap(state.voters, new Set()) }),
    ...(lies(input, who, 'attests another state') && { stateRoot: HASH }),
  }
}

/** Returns a function that returns the random results of a lane, or the inventions of a liar. */
function drawLanes(input: EpochInput, random: Generator): LaneRates {
  const { world, state } = input
  const p = state.champion ? strengthOf(world, state.champion) : 0
  const quotas = computeQuotas(state)
  return (validator, env, hotkey) => {
    const duel = state.duels.find(({ contender }) => contender.hotkey === hotkey)
    const c = duel ? strengthOf(world, duel.contender) : 0
    const who = world.validators.findIndex((each) => each.hotkey === validator)
    if (lies(input, who, 'makes samples up')) return c < p ? [1, 0] : [0, 1]
    const played = quotas[hotkey]?.[env] ?? 0
    let [wins, losses] = [0, 0]
    for (let i = 0; i < played; i++) {
      const [isSolved, isAnswered] = [random.random() < c, random.random() < p]
      if (isSolved && !isAnswered) wins += 1
      if (isAnswered && !isSolved) losses += 1
    }
    return [wins / played, losses / played]
  }
}

/** Returns the miners' commitments at the end of the epoch. */
function minersOf(input: EpochInput): readonly Candidate[] {
  const last = lastBlock(input)
  return input.world.miners.flatMap(({ account: { hotkey }, moves, registered }) => {
    const move = moves.filter(({ block }) => block <= last).at(-1)
    if (registered > last || !move || move.strength === null) return []
    const revision = `r${moves.indexOf(move)}`
    return [{ hotkey, model: `m-${hotkey}`, revision, chute: 'c', block: move.block, registered }]
  })
}
