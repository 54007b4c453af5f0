import type { Sample } from '../../packages/blocks/src/index.ts'
import {
  computeQuotas,
  firstState,
  type State,
  stateRoot,
  type Weights,
} from '../../packages/duel/src/index.ts'
import {
  findAttestedRoot,
  type RecomputedEpoch,
  recompute,
} from '../../packages/settlement/src/index.ts'
import { epochsOf, type Lie } from './faults.ts'
import { strengthOf } from './miners.ts'
import type { Seat, Subnet } from './seat.ts'
import { ThroneWatch, turnOf } from './throne-watch.ts'
import { nameOf, type Samples, textOf, type Violation, Witness } from './witness.ts'

/** The last epoch of a duel, and who had the throne after it. */
export interface DuelEnd {
  readonly epoch: number
  readonly outcome: 'champion' | 'contender'
}

/** Share of the decisive challenges below which a contender never dethrones by luck. */
const FAR_WORSE = 0.3

const DROPS: Lie = 'drops a sample'
const VOID: readonly Lie[] = [DROPS, 'seals nothing']

/** Checks after each epoch, from public data, that a subnet keeps its promises. */
export class Checker {
  /** The first broken promise. */
  violation: Violation | undefined
  /** Whether liars have so much weight or active stake that nothing is promised. */
  isBeyond = false
  frozen = 0
  readonly duels: DuelEnd[] = []
  readonly witness: Witness = new Witness((violation) => this.#break(violation))
  readonly #throne = new ThroneWatch((violation) => this.#break(violation))
  readonly #subnet: Subnet
  readonly #seats: readonly Seat[]
  /** The state computed from public data only. */
  #state: State
  /** Roots of the states by the epoch that they govern. */
  readonly #roots = new Map<number, string>()

  constructor(subnet: Subnet, seats: readonly Seat[]) {
    this.#subnet = subnet
    this.#seats = seats
    this.#state = firstState(subnet.rules.protocol, subnet.rules.firstEpoch)
    this.#roots.set(this.#state.epoch, stateRoot(this.#state))
  }

  /**
   * Decides the next epoch only from the chain and the buckets, and checks everything. If so many
   * validators are absent that liars have a third of the weight or more than half of the active
   * stake, nothing is promised: a validator that starts in that epoch may get a false state.
   */
  async epochEnded(): Promise<void> {
    this.isBeyond =
      this.#areThird(this.#state.voters, ({ isLiar }) => isLiar) || (await this.#isLieAttested())
    if (this.isBeyond) return
    const { chain, rules, network } = this.#subnet
    const { epoch } = this.#state
    const samples = new Map<string, Samples>()
    const onSample = (sample: Sample, { validator }: { readonly validator: string }): void => {
      const lane: Samples = samples.get(validator) ?? new Map()
      samples.set(validator, lane.set(nameOf(sample), textOf(sample)))
    }
    const openBucket = network.strangers(this.#seats.map(({ account }) => account.hotkey))
    const options = { chain, network: rules, openBucket, from: this.#state, onSample }
    const deciding = recompute(options).next()
    const decided = await deciding.catch((error: Error) => error)
    if (decided instanceof Error)
      return this.#break({ promise: 'STRANGERS_DECIDE', epoch, detail: decided.message })
    if (decided.done) return this.#break({ promise: 'EPOCHS_END', epoch })
    const { value } = decided
    this.#state = value.state
    this.#roots.set(value.state.epoch, stateRoot(value.state))
    this.#checkRoots()
    this.#checkFlaws(value)
    this.#checkAcceptance(value)
    this.#checkLiveness(value)
    for (const seat of this.#seats) this.witness.checkSamples(seat, value, samples)
    const isAway = (seat: Seat): boolean => seat.isLiar || this.#isDisturbed(seat, value.epoch)
    this.#throne.see(value, !this.#areThird(value.before.voters, isAway))
    this.#noteDuels(value)
  }

  /**
   * Reports whether most stake attested a false root. Honest validators' roots are checked earlier.
   * Protocol §9.4.
   */
  async #isLieAttested(): Promise<boolean> {
    const { chain, rules } = this.#subnet
    const { epoch } = this.#state
    if (epoch === rules.firstEpoch) return false
    const root = await findAttestedRoot({ chain, network: rules }, epoch)
    return root !== undefined && root !== this.#roots.get(epoch - 1)
  }

  /** Checks after an epoch without faults that every honest validator has the current state. */
  checkEnd(epoch: number): void {
    this.#checkRoots()
    for (const { index, isLiar, validator } of this.#seats)
      if (!isLiar && validator?.state?.epoch !== epoch)
        this.#break({ promise: 'ALL_GET_ON', epoch, validator: index })
  }

  #break(violation: Violation): void {
    this.violation ??= violation
  }

  /** Checks that honest validators have the state computed from public data. */
  #checkRoots(): void {
    for (const { index, isLiar, validator } of this.#seats) {
      if (isLiar || validator?.state === undefined) continue
      const { epoch } = validator.state
      const root = this.#roots.get(epoch)
      if (root !== undefined && root !== stateRoot(validator.state))
        this.#break({ promise: 'ONE_STATE', epoch, validator: index })
    }
  }

  /**
   * Checks that no flaw names an honest validator, except a missing block of a validator that had a
   * fault in the epoch or the previous one.
   */
  #checkFlaws({ epoch, flaws }: RecomputedEpoch): void {
    for (const { validator, code, detail } of flaws) {
      const seat = this.#seatOf(validator)
      // A validator that stopped may have sealed a lane without publishing it.
      const isExcused = code === 'MISSING_BLOCK' && this.#isDisturbed(seat, epoch)
      if (!seat.isLiar && !isExcused)
        this.#break({
          ...{ promise: 'HONEST_UNBLAMED', epoch, validator: seat.index },
          detail: { code, detail },
        })
    }
  }

  /**
   * Checks that no honest voter attests an invalid lane, and that no lane counts that only liars
   * attest. Protocol §8.3.
   */
  #checkAcceptance({ epoch, report, before }: RecomputedEpoch): void {
    if (report.frozen) return
    // While all duels are decided and wait for the end of frozen epochs, no sample is played.
    const isEmpty = Object.values(computeQuotas(before)).every(
      (envs) => Object.keys(envs).length === 0,
    )
    for (const [hotkey, { accepted, attesters }] of Object.entries(report.lanes)) {
      const seat = this.#seatOf(hotkey)
      const isVoid = VOID.some(
        (how) => this.#subnet.troubles.lies(seat.index, how) && !(isEmpty && how === DROPS),
      )
      const isByLiarsAlone = attesters.every((attester) => this.#seatOf(attester).isLiar)
      const lane = { epoch, validator: seat.index }
      if (isVoid && !isByLiarsAlone) this.#break({ promise: 'VOID_UNATTESTED', ...lane })
      if (accepted && isByLiarsAlone) this.#break({ promise: 'LIARS_UNCOUNTED', ...lane })
    }
  }

  /**
   * Checks that no epoch is frozen and every honest lane counts if less than a third of the weight
   * lies or has trouble. A network's first epoch has no voters.
   */
  #checkLiveness({ epoch, report, before }: RecomputedEpoch): void {
    if (Object.keys(before.voters).length === 0) return
    if (report.frozen) this.frozen += 1
    const isOut = (seat: Seat): boolean => seat.isLiar || this.#isDisturbed(seat, epoch)
    if (this.#areThird(before.voters, isOut)) return
    if (report.frozen) this.#break({ promise: 'NOT_FROZEN', epoch })
    for (const [hotkey, lane] of Object.entries(report.lanes)) {
      const seat = this.#seatOf(hotkey)
      if (!isOut(seat) && !lane.accepted)
        this.#break({ promise: 'HONEST_COUNT', epoch, validator: seat.index, detail: lane })
    }
  }

  /**
   * Reports whether the seats selected by `isMeant` have a third or more of these weights. False
   * without weights.
   */
  #areThird(weights: Weights, isMeant: (seat: Seat) => boolean): boolean {
    let [meant, all] = [0, 0]
    for (const [hotkey, weight] of Object.entries(weights)) {
      all += weight
      if (isMeant(this.#seatOf(hotkey))) meant += weight
    }
    return all > 0 && 3 * meant >= all
  }

  #noteDuels({ before, state, report, epoch }: RecomputedEpoch): void {
    const { champion } = before
    if (champion === undefined) return
    const going = new Set(state.duels.map(turnOf))
    for (const duel of report.duels.filter((each) => !going.has(turnOf(each)))) {
      const { world } = this.#subnet
      const [c, p] = [strengthOf(world, duel.contender), strengthOf(world, champion)]
      const decisive = c * (1 - p) + p * (1 - c)
      const rate = decisive === 0 ? 0 : (c * (1 - p)) / decisive
      const outcome = duel.standing === 'won' ? 'contender' : 'champion'
      if (outcome === 'contender' && rate < FAR_WORSE)
        this.#break({ promise: 'FAR_WORSE_FAIL', epoch })
      this.duels.push({ epoch, outcome })
    }
  }

  /** Reports whether this seat had a fault in this epoch or the previous one. */
  #isDisturbed({ index }: Seat, epoch: number): boolean {
    const { faults, world } = this.#subnet
    return faults.some((fault) => {
      const [first, last] = epochsOf(fault, world)
      return fault.who === index && first <= epoch && epoch <= last + 1
    })
  }

  #seatOf(hotkey: string): Seat {
    return this.#seats.find(({ account }) => account.hotkey === hotkey)!
  }
}
