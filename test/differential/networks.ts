import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Candidate,
  decide,
  type Facts,
  firstState,
  type Lanes,
  type LaneTally,
  LOCAL,
  type Protocol,
  type State,
  stateRoot,
} from '../../packages/duel/src/index.ts'
import { bitmapOf, HEAD, laneOf, miner, NEXT } from '../../packages/duel/test/subnet.ts'
import type { Generator } from '../../packages/prng/src/index.ts'
import { LOCAL_NETWORK, recompute, UnavailableError } from '../../packages/settlement/src/index.ts'
import { createBucketOpener } from '../../packages/settlement/src/node/index.ts'
import { fewOf, pick } from '../simulate/draw.ts'
import type { Fault } from '../simulate/faults.ts'
import { type RunningWorld, simulate } from '../simulate/simulation.ts'
import type { World } from '../simulate/world.ts'
import { type Case, isOdds } from './cases.ts'

/** Epochs of a network. */
const EPOCHS = 14
/** Numbers of validators. Small numbers are more frequent; at most 128 validators vote. */
const COUNTS = [1, 2, 3, 3, 4, 4, 5, 7, 7, 20, 128, 140]

/** A network whose facts are drawn epoch by epoch. */
class Drawn {
  readonly #random: Generator
  readonly #validators: readonly string[]
  readonly #stakes: bigint[]
  readonly #liars: ReadonlySet<string>
  readonly #miners = new Map<string, Candidate>()
  /** Chance of an accident: one in this number. */
  readonly #odds: number
  readonly #changes: number
  protocol: Protocol

  constructor(random: Generator) {
    this.#random = random
    this.#validators = Array.from({ length: pick(COUNTS, random) }, (_, i) => `v${i}`)
    const top = pick([1, 9, 1000, 2 ** 32], random)
    this.#stakes = this.#validators.map(
      () => BigInt(random.integers(0, top) + 1) * pick([1n, 10n ** 12n], random),
    )
    this.#liars = new Set(this.#validators.filter(() => isOdds(5, random)))
    this.#odds = pick([5, 20, 60, 300], random)
    this.#changes = pick([6, 30, 1000], random)
    this.protocol = this.#drawProtocol()
    for (let i = 0; i < 2 + random.integers(0, 9); i++) this.#commit(`m${i}`, random.integers(0, 9))
  }

  #chance = (): boolean => isOdds(this.#odds, this.#random)

  #drawProtocol(): Protocol {
    const random = this.#random
    const envs = Object.entries(LOCAL.envs).filter(() => !isOdds(3, random))
    const quotas = envs.map(([env, each]) => {
      const quotaFirst = pick([1, 4, 8, 16, 32], random)
      const quotaMost = quotaFirst * pick([1, 2, 8], random)
      return [env, { ...each, quotaFirst, quotaMost }] as const
    })
    return {
      ...LOCAL,
      envs: quotas.length > 0 ? Object.fromEntries(quotas) : LOCAL.envs,
      duelsMost: pick([1, 2, 3, 8], random),
      duelEpochs: pick([2, 3, 5, 8], random),
      quorumEpochs: pick([2, 3, 20], random),
      evenEpoch: pick([2, 3, 5], random),
      margin: pick([1, 1, 2], random),
      validatorsMost: pick([3, 128], random),
      ...(isOdds(3, random) && { templates: pick([HEAD, NEXT], random) }),
    }
  }

  #commit(hotkey: string, block: number): void {
    const revision = pick(['main', 'a', 'b'], this.#random)
    const registered = isOdds(4, this.#random) ? block : 0
    this.#miners.set(hotkey, { ...miner(hotkey, block, revision), registered })
  }

  /** Returns the facts of the epoch that `state` governs. Changes constants and miners. */
  factsOf(state: State): Facts {
    const random = this.#random
    const end = state.protocol.epochBlocks * (state.epoch + 1) - 1
    if (isOdds(this.#changes, random)) this.protocol = this.#drawProtocol()
    for (const hotkey of this.#miners.keys())
      if (this.#chance()) this.#commit(hotkey, end - fewOf(40, random))
    if (isOdds(3, random)) this.#commit(`m${this.#miners.size}`, end - fewOf(20, random))
    if (isOdds(9, random)) this.#miners.delete(pick([...this.#miners.keys(), ''], random))
    const present = this.#validators.filter(() => !this.#chance())
    const lanes = Object.fromEntries(
      present.filter(() => !this.#chance()).map((v) => [v, this.#lane(state, v)]),
    )
    const seals = Object.fromEntries(
      present.filter(() => !this.#chance()).map((v) => [v, pick([HEAD, NEXT], random)]),
    )
    const whole = Object.keys(lanes).filter((v) => v in seals)
    return { snapshot: this.#snapshot(state, whole, present), seals, lanes }
  }

  #snapshot(state: State, whole: readonly string[], present: readonly string[]): Facts['snapshot'] {
    const random = this.#random
    const attest = () => ({
      epoch: state.epoch - Number(this.#chance()),
      bitmap: isOdds(40, random)
        ? Uint8Array.from({ length: 16 }, () => random.integers(0, 256))
        : bitmapOf(
            state,
            whole.filter(() => !this.#chance()),
          ),
      next: NEXT,
      stateRoot: this.#chance() ? HEAD : stateRoot(state),
    })
    const validators = this.#validators
      .filter(() => !this.#chance())
      .map((hotkey, i) => {
        const stake = (this.#stakes[i] ?? 1n) * (this.#chance() ? pick([0n, 2n, 50n], random) : 1n)
        return { hotkey, stake, ...(present.includes(hotkey) && { attest: attest() }) }
      })
    const staked = [...this.#miners.keys()].filter(() => this.#chance()).slice(0, 1)
    const all = [...this.#validators, ...this.#miners.keys()]
    return {
      epoch: state.epoch + 1,
      protocol: this.protocol,
      hotkeys: all.filter(
        (hotkey) => !this.#chance() || validators.some((v) => v.hotkey === hotkey),
      ),
      validators: [...validators, ...staked.map((hotkey) => ({ hotkey, stake: 5n }))],
      miners: [...this.#miners.values()],
    }
  }

  #lane(state: State, validator: string): Lanes[string] {
    const random = this.#random
    const isLiar = this.#liars.has(validator)
    const lane = laneOf(state, (played, env, contender) =>
      this.#tally(played, env, isLiar ? '' : contender),
    )
    if (!isOdds(12, random)) return lane
    const [contender = 'm1'] = Object.keys(lane)
    const { [contender]: tallies = {}, ...others } = lane
    const [env = 'mult8@0.1.0'] = Object.keys(tallies)
    return pick<Lanes[string]>(
      [
        others,
        { ...others, [contender]: Object.fromEntries(Object.entries(tallies).slice(1)) },
        { ...lane, m99: { 'mult8@0.1.0': [1, 2, 3, 4] } },
        { ...lane, [contender]: { ...tallies, x: [600, 1, 1, 1] } },
        { ...lane, [contender]: { ...tallies, [env]: [600, 1, 0, 0] } },
        { ...lane, [contender]: { ...tallies, [env]: [1, 1, 513 * 10 ** 6, 0] } },
        { ...lane, [contender]: { ...tallies, [env]: [0, 0, 0, 513 * 10 ** 6] } },
      ],
      random,
    )
  }

  /** Draws a tally. A contender's number determines its strength; liars report the extremes. */
  #tally(played: number, env: string, contender: string): LaneTally {
    const random = this.#random
    const strength =
      contender === '' ? pick([0, 100], random) : (31 * Number(contender.slice(1))) % 101
    const decisive = random.integers(0, played + 1)
    let wins = 0
    for (let i = 0; i < decisive; i++) wins += Number(random.integers(0, 100) < strength)
    const losses = decisive - wins
    if (LOCAL.envs[env]?.players === 2) return [wins, losses, 0, 0]
    const both = random.integers(0, played - decisive + 1)
    const half = 500_000 * random.integers(0, played - decisive - both + 1)
    return [wins, losses, (wins + both) * 10 ** 6 + half, (losses + both) * 10 ** 6 + half]
  }
}

/**
 * Runs a simulated subnet with faults and liars, and recomputes its history from `folder`, which
 * must be empty.
 */
export async function playSubnet(
  world: World,
  faults: readonly Fault[],
  folder: string,
): Promise<Case> {
  let running: RunningWorld | undefined
  await simulate(world, faults, async (now) => {
    running = now
  })
  if (running === undefined) throw new Error('no block was made')
  const { chain, network: buckets } = running
  for (const [owner, path, bytes] of buckets.served()) {
    const file = join(folder, world.validators[owner]?.hotkey ?? '', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }
  const network = { ...LOCAL_NETWORK, protocol: world.protocol }
  const found: unknown[] = []
  try {
    for await (const { state, flaws, warnings } of recompute({
      ...{ chain, network, openBucket: createBucketOpener(folder) },
    })) {
      found.push([stateRoot(state), listFindings(flaws), listFindings(warnings)])
    }
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error
    found.push('unavailable')
  }
  return { given: { chain: chain.export(), buckets: folder, rules: world.protocol }, found }
}

/** Returns each validator with a code once, sorted. */
function listFindings(
  findings: readonly { readonly validator: string; readonly code: string }[],
): readonly unknown[] {
  const texts = new Set(findings.map(({ validator, code }) => JSON.stringify([validator, code])))
  return [...texts].sort().map((text) => JSON.parse(text))
}

/** Returns facts in a form that JSON can represent. */
function toJsonFacts({ snapshot, seals, lanes }: Facts) {
  const { validators, protocol: rules, ...rest } = snapshot
  const attested = validators.map(({ attest, stake, ...each }) => {
    const bitmap = Buffer.from(attest?.bitmap ?? []).toString('hex')
    return { ...each, stake: `${stake}`, ...(attest && { attest: { ...attest, bitmap } }) }
  })
  return { ...rest, rules, validators: attested, seals, lanes }
}

/** Draws a network, and decides its epochs. */
export function drawNetwork(random: Generator): Case {
  const drawn = new Drawn(random)
  const rules = drawn.protocol
  let state = firstState(rules, 0)
  const decided = Array.from({ length: EPOCHS }, () => {
    const facts = drawn.factsOf(state)
    ;({ state } = decide(state, facts))
    return { facts: toJsonFacts(facts), root: stateRoot(state) }
  })
  const epochs = decided.map(({ facts }) => facts)
  return { given: { rules, epochs }, found: decided.map(({ root }) => root) }
}
