import type { Event } from '../../apps/validator/src/service/setup.ts'
import { blockHash, type Sample } from '../../packages/blocks/src/index.ts'
import {
  firstState,
  type Miner,
  type State,
  stateRoot,
  weighToday,
} from '../../packages/duel/src/index.ts'
import { canonicalize, type Json } from '../../packages/prng/src/index.ts'
import { type Recomputed, recompute } from '../../packages/settlement/src/index.ts'
import { epochsOf } from './faults.ts'
import { strengthOf } from './miners.ts'
import type { Seat, Subnet } from './seat.ts'

/** Something that must never happen, happened. */
export class Violation extends Error {
  /** Which promise it breaks. */
  readonly promise: string

  constructor(promise: string, detail: string) {
    super(`${promise}: ${detail}`)
    this.promise = promise
  }
}

/** How a duel ended whose miners were what they are. */
export interface DuelEnd {
  /** Of decisive challenges, the share that the contender wins, in the long run. */
  readonly rate: number
  /** What it had to beat. */
  readonly ratio: number
  readonly outcome: 'champion' | 'contender'
  /** Were, in all of its epochs, less than a third lying or disturbed, and both miners there? */
  readonly isFair: boolean
}

const text = (value: unknown): string => canonicalize(value as Json)

/** Holds a subnet to what is promised of it, epoch by epoch, as a stranger sees it. */
export class Checker {
  readonly duels: DuelEnd[] = []
  /** The state that the stranger has come to. */
  state: State
  frozen = 0
  readonly #subnet: Subnet
  readonly #seats: readonly Seat[]
  /** By epoch, the root of the state that governs it. */
  readonly #roots = new Map<number, string>()
  /** By seat and epoch: what its journal acknowledged, by challenge. */
  readonly #acknowledged = new Map<string, Map<string, string>>()
  /** By seat, epoch and height: the hash of the block that it signed. */
  readonly #signed = new Map<string, string>()
  #isTroubled = false

  constructor(subnet: Subnet, seats: readonly Seat[]) {
    this.#subnet = subnet
    this.#seats = seats
    this.state = firstState(subnet.rules.protocol, subnet.rules.firstEpoch)
    this.#roots.set(this.state.epoch, stateRoot(this.state))
  }

  /** Hears what an honest validator says. */
  hear({ index, isLiar }: Seat, event: Event): void {
    if (isLiar) return
    if (event.type === 'sample') {
      const key = `${index} ${event.epoch}`
      const samples = this.#acknowledged.get(key) ?? new Map<string, string>()
      this.#acknowledged.set(key, samples.set(event.sample.challengeId, text(event.sample)))
    }
    if (event.type === 'problem' && /altered|away|back/.test(event.error.message))
      throw new Violation('nobody altered anything', `${index}: ${event.error.message}`)
  }

  /** An honest validator wrote this into its own store. */
  stored({ index, isLiar, account }: Seat, bytes: Uint8Array): void {
    if (isLiar) return
    const [line = ''] = Buffer.from(bytes).toString().split('\n', 1)
    const hash = blockHash(Buffer.from(line))
    const { validator, epoch, height } = JSON.parse(line)
    if (validator !== account.hotkey) return
    const key = `${index} ${epoch} ${height}`
    const known = this.#signed.get(key) ?? hash
    this.#signed.set(key, hash)
    if (known !== hash)
      throw new Violation('one block a height', `validator ${index}, epoch ${epoch}: two`)
  }

  /** Decides the next epoch from the chain and the buckets, and looks at everything. */
  async epochEnded(): Promise<void> {
    const { chain, rules, network, world } = this.#subnet
    const owners = world.validators.map(({ hotkey }) => hotkey)
    const samples = new Map<string, Map<string, string>>()
    const onSample = (sample: Sample, { validator }: { readonly validator: string }): void => {
      const lane = samples.get(validator) ?? new Map<string, string>()
      samples.set(validator, lane.set(sample.challengeId, text(sample)))
    }
    const openBucket = network.strangers(owners)
    const options = { chain, network: rules, openBucket, from: this.state, onSample }
    const recomputing = recompute(options)
    const { value } = await recomputing.next().catch((error: Error) => {
      throw new Violation('a stranger can decide', error.message)
    })
    const decided = value as Recomputed
    this.state = decided.state
    this.#roots.set(decided.state.epoch, stateRoot(decided.state))
    this.checkRoots()
    this.#checkHonest(decided)
    this.#checkAcceptance(decided)
    this.#checkLiveness(decided)
    this.#checkSamples(decided, samples)
    this.#note(decided)
  }

  /** One state among honest validators and the stranger. */
  checkRoots(): void {
    for (const { index, isLiar, validator } of this.#seats) {
      if (isLiar || validator?.state === undefined) continue
      const { state } = validator
      const want = this.#roots.get(state.epoch)
      if (want !== undefined && want !== stateRoot(state))
        throw new Violation('one state', `validator ${index} has another for epoch ${state.epoch}`)
    }
  }

  /** After a calm epoch everybody is where the chain is. */
  checkCaughtUp(epoch: number): void {
    for (const { index, isLiar, validator } of this.#seats)
      if (!isLiar && validator?.state?.epoch !== epoch)
        throw new Violation('everybody gets on', `validator ${index} is not in epoch ${epoch}`)
  }

  /** A stranger finds nothing wrong with what the honest published. */
  #checkHonest({ epoch, flaws }: Recomputed): void {
    for (const { validator, code, detail } of flaws) {
      const seat = this.#seatOf(validator)
      // Who was down may have sealed a lane, and never come to publish it.
      const isExcused = code === 'MISSING_BLOCK' && this.#isDisturbed(seat, epoch)
      if (!seat.isLiar && !isExcused)
        throw new Violation('nobody honest is blamed', `${seat.index}: ${code}: ${detail}`)
    }
  }

  /** No lane counts that no honest voter attests, or that is not whole. Protocol §8.3. */
  #checkAcceptance({ epoch, report, before, snapshot }: Recomputed): void {
    if (report.frozen || !this.#isSafe(before, snapshot)) return
    for (const [hotkey, { accepted, attesters }] of Object.entries(report.lanes)) {
      const seat = this.#seatOf(hotkey)
      const isVoid = ['drops a sample', 'seals nothing'].some((how) => this.#lies(seat, how))
      if (accepted && isVoid)
        throw new Violation('void lanes do not count', `that of ${seat.index} in epoch ${epoch}`)
      if (accepted && attesters.every((attester) => this.#seatOf(attester).isLiar))
        throw new Violation('liars accept nothing', `the lane of ${seat.index} in epoch ${epoch}`)
    }
  }

  /** With less than a third lying or disturbed, nothing is frozen and every honest lane counts. */
  #checkLiveness({ epoch, report, before, snapshot }: Recomputed): void {
    if (before.duel === undefined) return
    if (report.frozen) this.frozen += 1
    const weights = weighToday(before.duel, snapshot)
    const isOut = (seat: Seat): boolean => seat.isLiar || this.#isDisturbed(seat, epoch)
    const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
    const out = Object.entries(weights)
      .filter(([hotkey]) => isOut(this.#seatOf(hotkey)))
      .reduce((sum, [, weight]) => sum + weight, 0)
    this.#isTroubled ||= 3 * out >= total
    if (total === 0 || 3 * out >= total) return
    if (report.frozen) throw new Violation('the epoch is not frozen', `epoch ${epoch} is`)
    for (const [hotkey, lane] of Object.entries(report.lanes)) {
      const seat = this.#seatOf(hotkey)
      if (!isOut(seat) && !lane.accepted)
        throw new Violation(
          'every honest lane counts',
          `${seat.index} in epoch ${epoch}: ${text(lane)}`,
        )
    }
  }

  /** What was acknowledged is in the journal, and in the lane if there is one. */
  #checkSamples(
    { epoch, lanes }: Recomputed,
    found: ReadonlyMap<string, ReadonlyMap<string, string>>,
  ): void {
    for (const { index, account, disk } of this.#seats) {
      const acknowledged = this.#acknowledged.get(`${index} ${epoch}`) ?? new Map<string, string>()
      const journal = disk.peek(`journal/${epoch}.jsonl`)?.toString() ?? ''
      const lane = lanes.get(account.hotkey)?.ok ? found.get(account.hotkey) : undefined
      for (const [challenge, sample] of acknowledged) {
        const isKept = journal.includes(sample) && (!lane || lane.get(challenge) === sample)
        if (!isKept) throw new Violation('no sample is lost', `${index}, epoch ${epoch}: ${sample}`)
      }
    }
  }

  /** Are there fewer liars than a third, by what they weigh today? */
  #isSafe({ duel }: State, snapshot: Recomputed['snapshot']): boolean {
    if (duel === undefined) return true
    const weights = Object.entries(weighToday(duel, snapshot))
    const sum = (some: typeof weights): number => some.reduce((all, [, weight]) => all + weight, 0)
    return 3 * sum(weights.filter(([hotkey]) => this.#seatOf(hotkey).isLiar)) < sum(weights)
  }

  #note({ before, report, epoch }: Recomputed): void {
    const { duel } = before
    if (duel === undefined) return
    if (epoch === duel.start) this.#isTroubled = false
    if (report.outcome === undefined) return
    const { world } = this.#subnet
    const [c, p] = [strengthOf(world, duel.contender), strengthOf(world, duel.champion)]
    const decisive = c * (1 - p) + p * (1 - c)
    const rate = decisive === 0 ? 0 : (c * (1 - p)) / decisive
    const miners = [duel.champion, duel.contender]
    const haveMoved = miners.some((miner) => this.#hasMoved(miner, duel.start, epoch))
    const isFair = !this.#isTroubled && !haveMoved
    this.duels.push({ rate, ratio: duel.ratio / 1e6, outcome: report.outcome, isFair })
  }

  /** Did the miner leave or commit again, from one epoch to another? Who leaves loses. */
  #hasMoved({ hotkey }: Miner, from: number, to: number): boolean {
    const { miners, protocol } = this.#subnet.world
    const player = miners.find(({ account }) => account.hotkey === hotkey)
    const epochs = player?.moves.map(({ block }) => Math.floor(block / protocol.epochBlocks)) ?? []
    return epochs.some((epoch) => from <= epoch && epoch <= to)
  }

  #lies({ index }: Seat, how: string): boolean {
    return this.#subnet.faults.some(
      (fault) => fault.kind === 'lies' && fault.who === index && fault.how === how,
    )
  }

  /** Did anything go wrong for it in this epoch, or just before? */
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
