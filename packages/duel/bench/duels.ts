import { type Generator, pcg64 } from '@affine/prng'
import {
  type Evidence,
  judgeEnvironment,
  type LaneRule,
  PROTOCOL,
  type Score,
  type Tally,
} from '../src/index.ts'
import { scored } from '../test/subnet.ts'
import { binomial } from './draw.ts'
import { type FreezePlan, planFor } from './freezing.ts'
import { BLOCKING, fabricate, type Lane, type Lie, type Strategy } from './lies.ts'
import { type Quotas, SINGLE } from './quotas.ts'
import { type Field, mayFreeze } from './stakes.ts'

/** Duels of one kind. */
export interface Cell {
  readonly field: Field
  /** The contender's share of decisive challenges, and the ties' share of all. */
  readonly p: number
  readonly tied: number
  readonly strategy: Strategy
  /** The liars attest only in epochs that they want to count, where that is their choice. */
  readonly freezes?: boolean
  /** The main network's, if absent, of an environment beside others. */
  readonly rule?: LaneRule
  /** Those of an environment for one player, if absent. */
  readonly quotas?: Quotas
}

/** A share that was measured. */
export interface Share {
  readonly won: number
  /** The standard error of `won`, as if one more had ended either way: never 0. */
  readonly wonError: number
}

export interface Shares extends Share {
  /** Challenges a lane plays: mean and its standard error. */
  readonly challenges: number
  readonly error: number
  /** Epochs a duel lasts: mean. */
  readonly epochs: number
}

export const RATIO_PPM = 510_000

/** The share of duels that the contender wins. */
export function simulate(cell: Cell, duels: number, seed: bigint): Shares {
  const play = duelsIn(cell, pcg64(seed))
  let [won, sum, squares, epochs] = [0, 0, 0, 0]
  for (let i = 0; i < duels; i++) {
    const duel = play()
    if (duel.won) won++
    sum += duel.challenges
    squares += duel.challenges ** 2
    epochs += duel.epochs
  }
  const mean = sum / duels
  return {
    ...shareOf(won, duels),
    challenges: mean,
    error: Math.sqrt((squares / duels - mean ** 2) / duels),
    epochs: epochs / duels,
  }
}

export function shareOf(won: number, count: number): Share {
  const share = (won + 1) / (count + 2)
  return { won: won / count, wonError: Math.sqrt((share * (1 - share)) / count) }
}

/** How one ended, and the most deviations that the floor led by when it could have won. */
interface PlayedDuel {
  readonly won: boolean
  readonly challenges: number
  readonly epochs: number
  readonly highest: number
}

/** Plays one duel after another in one environment, by `judgeEnvironment`. */
function duelsIn(cell: Cell, random: Generator): () => PlayedDuel {
  const { field, strategy, freezes = false } = cell
  const { rule = PROTOCOL, quotas = SINGLE } = cell
  const names = field.weights.map((_, place) => String(place).padStart(3, '0'))
  const weights = Object.fromEntries(names.map((name, place) => [name, field.weights[place] ?? 0]))
  const isHonest = (place: number) => strategy === 'honest' || !field.liars.includes(place)
  const honest = names.filter((_, i) => isHonest(i) && !field.absent.includes(i))
  const liars = names.filter((_, i) => !isHonest(i))
  const plan = freezes && mayFreeze(field) ? planOf(rule, quotas) : undefined
  const setting = { ...cell, rule, quotas, weights, honest, liars, plan }
  return () => new SimulatedDuel(setting, random).play()
}

const plans = new Map<string, FreezePlan>()

/** The liars' plan, which takes a second to make, made once. */
function planOf(rule: LaneRule, quotas: Quotas): FreezePlan {
  const key = `${rule.floorZSquaredPpm} ${quotas}`
  const plan = plans.get(key) ?? planFor(oneLaneZ(rule), quotas)
  plans.set(key, plan)
  return plan
}

interface Setting extends Cell {
  readonly rule: LaneRule
  readonly quotas: Quotas
  readonly weights: Readonly<Record<string, number>>
  /** Those who come, by name. */
  readonly honest: readonly string[]
  readonly liars: readonly string[]
  readonly plan: FreezePlan | undefined
}

class SimulatedDuel {
  readonly #setting: Setting
  readonly #random: Generator
  readonly #lying: number
  /** Of the epochs that counted: honest lanes, and what the liars told. */
  #honest: readonly (readonly Lane[])[] = []
  #told: readonly Tally[] = []
  #counted = 0
  #frozen = 0
  #lead = 0

  constructor(setting: Setting, random: Generator) {
    this.#setting = setting
    this.#random = random
    this.#lying = setting.liars.reduce((sum, name) => sum + (setting.weights[name] ?? 0), 0)
  }

  play(): PlayedDuel {
    const { rule, quotas } = this.#setting
    let [challenges, highest] = [0, 0]
    for (const [i, played] of quotas.entries()) {
      const epoch = i + 1
      challenges += played
      const honest = [...this.#honest, this.#drawLanes(played)]
      const { told, seen } = this.#worst(honest, played)
      if (this.#isFrozen(seen, epoch, played)) continue
      this.#honest = honest
      this.#told = told
      this.#counted += played
      this.#lead = this.#leadOf(seen)
      if (seen.win.trials >= BigInt(rule.minTrials) * 1_000_000n)
        highest = Math.max(highest, deviationsOf(seen.score))
      if (seen.look !== 'continue')
        return { won: seen.look === 'win', challenges, epochs: epoch, highest }
    }
    return { won: false, challenges, epochs: quotas.length, highest }
  }

  #drawLanes(played: number): readonly Lane[] {
    const { honest, weights, p, tied } = this.#setting
    return honest.map((name) => {
      const decisive = played - binomial(played, tied, this.#random)
      const wins = binomial(decisive, p, this.#random)
      const tally = scored({ wins, losses: decisive - wins, played })
      return { weight: weights[name] ?? 0, tally }
    })
  }

  /** What the liars tell, of all that they consider the least for the contender, and its look. */
  #worst(honest: readonly (readonly Lane[])[], played: number): Option {
    const { strategy, rule } = this.#setting
    const known = {
      honest,
      told: this.#told,
      played,
      lying: this.#lying,
      ratioPpm: RATIO_PPM,
      rule,
    }
    const options = liesOf(strategy).map((lie): Option => {
      const told = [...this.#told, ...fabricate(lie, known)]
      return { told, seen: this.#look(honest, told) }
    })
    const [first = { told: [], seen: this.#look(honest, []) }, ...others] = options
    return others.reduce(
      (least, one) => (this.#leadOf(one.seen) < this.#leadOf(least.seen) ? one : least),
      first,
    )
  }

  #look(lanes: readonly (readonly Lane[])[], told: readonly Tally[]): Evidence {
    const { honest, liars, weights, rule } = this.#setting
    const epochs = lanes.map((epoch, i) => {
      const lie = told[i]
      const true_ = honest.map((name, place) => [name, epoch[place]?.tally] as const)
      const false_ = lie ? liars.map((name) => [name, lie] as const) : []
      return Object.fromEntries([...true_, ...false_]) as Record<string, Tally>
    })
    return judgeEnvironment({ weights, epochs, ratioPpm: RATIO_PPM, rule })
  }

  /** Do the liars keep this epoch from counting? */
  #isFrozen(seen: Evidence, epoch: number, played: number): boolean {
    const { plan } = this.#setting
    if (plan === undefined || seen.look === 'win') return false
    const next = { epoch: epoch + 1, frozen: this.#frozen }
    const counted = this.#counted + played
    const ifCounted = seen.look === 'hold' ? 0 : plan({ ...next, counted }, this.#leadOf(seen))
    const stage = { ...next, frozen: this.#frozen + 1, counted: this.#counted }
    if (plan(stage, this.#lead) <= ifCounted) return false
    this.#frozen++
    return true
  }

  /** The score, scaled so that it wins where one lane does by itself. */
  #leadOf({ score }: Evidence): number {
    const z = oneLaneZ(this.#setting.rule)
    return (deviationsOf(score) * z) / (z - LUCK)
  }
}

/** What every lane is charged, in deviations. Protocol §8.6. */
const LUCK = 0.4

/** The deviations that one lane by itself takes to win. */
export const oneLaneZ = ({ floorZSquaredPpm }: LaneRule): number =>
  LUCK + Math.sqrt(Number(floorZSquaredPpm) / 1e6)

interface Option {
  readonly told: readonly Tally[]
  readonly seen: Evidence
}

/** The honest tell nothing for the liars, of whom there are none. */
function liesOf(strategy: Strategy): readonly Lie[] {
  if (strategy === 'block') return BLOCKING
  return strategy === 'honest' ? [] : [strategy]
}

const deviationsOf = ({ lead, spread }: Score): number =>
  spread === 0n ? 0 : Number(lead) / Math.sqrt(Number(spread))
