import { type Generator, pcg64 } from '@affine/prng'
import type { InterimResult } from '@affine/wilson'
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

/** The parameters of simulated duels. */
export interface Cell {
  readonly field: Field
  /**
   * The contender's share of decisive challenges; `tied` is the share of ties among all challenges.
   */
  readonly p: number
  readonly tied: number
  readonly strategy: Strategy
  /** Whether liars attest only in epochs that they want to count, if they can choose. */
  readonly freezes?: boolean
  /** Default: the main network's rule of an environment among others. */
  readonly rule?: LaneRule
  /** Default: the quotas of an environment for one player. */
  readonly quotas?: Quotas
}

/** A measured share. */
export interface Share {
  readonly won: number
  /** Standard error of `won`, as if one more duel were won and one more lost: it is never 0. */
  readonly wonError: number
}

export interface Shares extends Share {
  /** Mean number of challenges of a lane in a duel; `error` is its standard error. */
  readonly challenges: number
  readonly error: number
  /** Mean number of epochs of a duel. */
  readonly epochs: number
}

export const RATIO_PPM = 510_000

/** Returns the share of duels that the contender wins. */
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

interface PlayedDuel {
  readonly won: boolean
  readonly challenges: number
  readonly epochs: number
}

/** Returns a function that plays duels in one environment, one after the other. */
function duelsIn(cell: Cell, random: Generator): () => PlayedDuel {
  const { quotas = SINGLE } = cell
  const begin = environmentsIn(cell, random)
  return () => {
    const environment = begin()
    let challenges = 0
    for (const [i, played] of quotas.entries()) {
      challenges += played
      environment.play()
      const result = environment.end(environment.chanceIf(true) > environment.chanceIf(false))
      if (result !== 'continue') return { won: result === 'win', challenges, epochs: i + 1 }
    }
    return { won: false, challenges, epochs: quotas.length }
  }
}

/** Returns a function that begins the environments of duels, one after the other. */
export function environmentsIn(cell: Cell, random: Generator): () => SimulatedEnvironment {
  const { field, strategy, freezes = false } = cell
  const { rule = PROTOCOL, quotas = SINGLE } = cell
  const names = field.weights.map((_, place) => String(place).padStart(3, '0'))
  const weights = Object.fromEntries(names.map((name, place) => [name, field.weights[place] ?? 0]))
  const isHonest = (place: number) => strategy === 'honest' || !field.liars.includes(place)
  const honest = names.filter((_, i) => isHonest(i) && !field.absent.includes(i))
  const liars = names.filter((_, i) => !isHonest(i))
  const plan = freezes && mayFreeze(field) ? planOf(rule, quotas) : undefined
  const setting = { ...cell, rule, quotas, weights, honest, liars, plan }
  return () => new SimulatedEnvironment(setting, random)
}

const plans = new Map<string, FreezePlan>()

/** The liars' plan, cached because computing it takes a second. */
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
  /** The names of the honest validators that take part. */
  readonly honest: readonly string[]
  readonly liars: readonly string[]
  readonly plan: FreezePlan | undefined
}

/** One environment of a duel, judged by `judgeEnvironment`. Each epoch is played, then ended. */
export class SimulatedEnvironment {
  readonly #setting: Setting
  readonly #random: Generator
  readonly #lying: number
  #epoch = 0
  #frozen = 0
  /** The evidence without the played epoch; `#after` is the evidence with it. */
  #before: Seen
  #after: Seen

  constructor(setting: Setting, random: Generator) {
    this.#setting = setting
    this.#random = random
    this.#lying = setting.liars.reduce((sum, name) => sum + (setting.weights[name] ?? 0), 0)
    this.#before = { honest: [], liarTallies: [], counted: 0, evidence: this.#judge([], []) }
    this.#after = this.#before
  }

  play(): void {
    const played = this.#setting.quotas[this.#epoch++] ?? 0
    this.#after = this.#worst([...this.#before.honest, this.#drawLanes(played)], played)
  }

  /**
   * Returns the chance of a win that liars with a plan to freeze expect if this epoch is frozen, or
   * if it counts; 0 without a plan.
   */
  chanceIf(isFrozen: boolean): number {
    const { plan } = this.#setting
    const { counted, evidence } = isFrozen ? this.#before : this.#after
    if (plan === undefined) return 0
    if (evidence.interimResult !== 'continue') return Number(evidence.interimResult === 'win')
    const stage = { epoch: this.#epoch + 1, frozen: this.#frozen + Number(isFrozen), counted }
    return plan(stage, this.#leadOf(evidence))
  }

  /** Ends the epoch. Returns the interim analysis of the epochs that counted. */
  end(isFrozen: boolean): InterimResult {
    if (isFrozen) this.#frozen++
    else this.#before = this.#after
    return this.#before.evidence.interimResult
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

  /** Returns the evidence with the lie that is worst for the contender. */
  #worst(honest: Seen['honest'], played: number): Seen {
    const { strategy, rule } = this.#setting
    const { liarTallies: before, counted } = this.#before
    const lying = this.#lying
    const known = { honest, liarTallies: before, played, lying, ratioPpm: RATIO_PPM, rule }
    const seenWith = (liarTallies: Seen['liarTallies']): Seen => {
      return {
        honest,
        liarTallies,
        counted: counted + played,
        evidence: this.#judge(honest, liarTallies),
      }
    }
    const [first = seenWith([]), ...others] = liesOf(strategy).map((lie) =>
      seenWith([...before, ...fabricate(lie, known)]),
    )
    return others.reduce(
      (least, one) => (this.#leadOf(one.evidence) < this.#leadOf(least.evidence) ? one : least),
      first,
    )
  }

  #judge(lanes: Seen['honest'], liarTallies: Seen['liarTallies']): Evidence {
    const { honest, liars, weights, rule } = this.#setting
    const epochs = lanes.map((epoch, i) => {
      const lie = liarTallies[i]
      const honestEntries = honest.map((name, place) => [name, epoch[place]?.tally] as const)
      const liarEntries = lie ? liars.map((name) => [name, lie] as const) : []
      return Object.fromEntries([...honestEntries, ...liarEntries]) as Record<string, Tally>
    })
    return judgeEnvironment({ weights, epochs, ratioPpm: RATIO_PPM, rule })
  }

  /**
   * Returns the lead in deviations, scaled so that the lead needed for a win is that of one lane.
   */
  #leadOf({ score }: Evidence): number {
    const z = oneLaneZ(this.#setting.rule)
    return (deviationsOf(score) * z) / (z - LUCK)
  }
}

/** The deviations that the score subtracts for every lane. Protocol §8.6. */
const LUCK = 0.4

/** The deviations that a single lane needs for a win. */
export const oneLaneZ = ({ floorZSquaredPpm }: LaneRule): number =>
  LUCK + Math.sqrt(Number(floorZSquaredPpm) / 1e6)

/** The result of the epochs that counted. */
interface Seen {
  readonly honest: readonly (readonly Lane[])[]
  readonly liarTallies: readonly Tally[]
  /** Number of challenges of a lane in these epochs. */
  readonly counted: number
  readonly evidence: Evidence
}

/** Returns the lies of a strategy; none if all validators are honest. */
function liesOf(strategy: Strategy): readonly Lie[] {
  if (strategy === 'block') return BLOCKING
  return strategy === 'honest' ? [] : [strategy]
}

const deviationsOf = ({ lead, spread }: Score): number =>
  spread === 0n ? 0 : Number(lead) / Math.sqrt(Number(spread))
