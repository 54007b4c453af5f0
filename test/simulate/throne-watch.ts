import {
  type Duel,
  isWon,
  type Miner,
  orderQueue,
  pickMiner,
  stateRoot,
} from '../../packages/duel/src/index.ts'
import type { RecomputedEpoch } from '../../packages/settlement/src/index.ts'
import { type Break, textOf } from './witness.ts'

/** A decided epoch. `before` is the state that governed it. */
type EpochDecision = Pick<RecomputedEpoch, 'before' | 'snapshot' | 'state' | 'report'>

/** Number of frozen epochs that ends an open duel. Protocol §8.3. */
const FROZEN_MOST = 4

/**
 * Checks voters, duels, dethronements and the ratio by its own counts from chain and states.
 * Protocol §8.1, §8.3, §8.10, §8.11, §8.12.
 */
export class ThroneWatch {
  readonly #break: Break
  /** The last epoch that each hotkey attested, or the network's first epoch. */
  readonly #attested = new Map<string, number>()
  /** Number of frozen epochs by open duel. */
  #frozen: ReadonlyMap<string, number> = new Map()

  constructor(onBreak: Break) {
    this.#break = onBreak
  }

  /** Checks a decided epoch. `hasQuorum` states if the present honest voters are a quorum. */
  see(decision: EpochDecision, hasQuorum: boolean): void {
    const { before, state, snapshot } = decision
    const root = stateRoot(before)
    if (before.attested === undefined)
      for (const { hotkey } of snapshot.validators) this.#attested.set(hotkey, before.epoch)
    this.#checkVoters(decision)
    this.#checkTurns(decision)
    this.#checkFrozen(decision)
    this.#checkBegun(decision, hasQuorum)
    this.#checkThrone(decision)
    this.#checkRatio(decision)
    for (const { hotkey, attest } of snapshot.validators)
      if (attest?.epoch === before.epoch && attest.stateRoot === root)
        this.#attested.set(hotkey, before.epoch)
    for (const duel of state.duels) this.#checkLength(decision, duel)
  }

  /** Checks that exactly the active validators, absent or not, are voters of the next epoch. */
  #checkVoters({ before: { epoch, protocol }, state, snapshot }: EpochDecision): void {
    const since = (hotkey: string) =>
      epoch - (this.#attested.get(hotkey) ?? Number.NEGATIVE_INFINITY)
    const active = snapshot.validators
      .map(({ hotkey }) => hotkey)
      .filter((hotkey) => since(hotkey) < protocol.quorumEpochs)
    if (textOf(active.sort()) !== textOf(Object.keys(state.voters).sort()))
      this.#break({ promise: 'ACTIVE_VOTE', epoch: epoch + 1 })
  }

  /**
   * Checks that there are at most `duelsMost` duels, that no miner has two turns or waits during a
   * turn, and that contenders' commitments do not change during a duel.
   */
  #checkTurns({ before, state, snapshot }: EpochDecision): void {
    const { epoch, duels, champion } = state
    const playing = [...(champion ? [champion] : []), ...duels.map(({ contender }) => contender)]
    const hotkeys = new Set(playing.map(({ hotkey }) => hotkey))
    if (duels.length > state.protocol.duelsMost || hotkeys.size < playing.length)
      this.#break({ promise: 'ONE_TURN', epoch })
    if (orderQueue(state, snapshot).some(({ hotkey }) => hotkeys.has(hotkey)))
      this.#break({ promise: 'TURN_NOT_QUEUED', epoch })
    const isUnchanged = ({ contender, start }: Duel) =>
      start === epoch ||
      before.duels.some((duel) => duel.start === start && isSame(duel.contender, contender))
    if (!duels.every(isUnchanged)) this.#break({ promise: 'TURN_UNCHANGED', epoch })
  }

  /**
   * Checks that the fourth frozen epoch ends an open duel, and that after a frozen epoch no duel
   * begins and no contender is crowned.
   */
  #checkFrozen({ before, state, report }: EpochDecision): void {
    const open = before.duels.filter((duel) => !isWon(duel, before.protocol))
    const counts = open.map((duel) => {
      return [turnOf(duel), (this.#frozen.get(turnOf(duel)) ?? 0) + Number(report.frozen)] as const
    })
    const going = counts.filter(([turn]) => state.duels.some((duel) => turnOf(duel) === turn))
    if (going.some(([, frozen]) => frozen >= FROZEN_MOST))
      this.#break({ promise: 'FROZEN_DUEL_ENDS', epoch: before.epoch })
    this.#frozen = new Map(going)
    const isBegun = state.duels.some(({ start }) => start === state.epoch)
    if (report.frozen && (isBegun || report.crowned !== undefined))
      this.#break({ promise: 'FROZEN_IS_IDLE', epoch: before.epoch })
  }

  /**
   * Checks that with a quorum the list is full, the queue is empty, or a duel is won, and that no
   * duel begins while a duel is won.
   */
  #checkBegun({ before, state, snapshot }: EpochDecision, hasQuorum: boolean): void {
    const { champion, duels, protocol, epoch } = state
    const isClosed = duels.some((duel) => isWon(duel, protocol))
    if (isClosed && duels.some(({ start }) => start === epoch))
      this.#break({ promise: 'WON_IS_CLOSED', epoch })
    const hasRoom = champion !== undefined && !isClosed && duels.length < protocol.duelsMost
    const isKnown = Object.keys(before.voters).length > 0
    if (hasQuorum && isKnown && hasRoom && orderQueue(state, snapshot).length > 0)
      this.#break({ promise: 'DUELS_BEGIN', epoch })
  }

  /** Checks that only a winner dethrones the champion, after all duels of the list have ended. */
  #checkThrone({ before: { champion, epoch }, state, report }: EpochDecision): void {
    if (champion === undefined || isSame(champion, state.champion)) return
    const winner = report.duels.find(({ contender }) => isSame(contender, state.champion))
    const hasWon = winner?.standing === 'won' && report.crowned === winner.contender.hotkey
    if (!hasWon) this.#break({ promise: 'THRONE_IS_WON', epoch })
    const isLate = state.duels.some(({ start }) => start <= epoch)
    if (isLate || report.duels.some(({ standing }) => standing === 'open'))
      this.#break({ promise: 'ALL_HEARD', epoch })
  }

  /**
   * Checks that recorded rates never fall, that only a crowning raises the ratio, and that the
   * ratio stays between floor and ceiling.
   */
  #checkRatio({ before, state, report }: EpochDecision): void {
    const { ratioFloorPpm, ratioCeilingPpm } = state.protocol
    const isRaised = report.crowned === undefined && state.ratio > before.ratio
    if (state.ratio < ratioFloorPpm || state.ratio > ratioCeilingPpm || isRaised)
      this.#break({ promise: 'RATIO_BOUNDED', epoch: state.epoch, detail: state.ratio })
    for (const [env, rate] of Object.entries(before.record))
      if ((state.record[env] ?? 0) < rate)
        this.#break({ promise: 'RECORD_KEPT', epoch: state.epoch, detail: env })
  }

  /** Checks that no duel exceeds its length, and that no winner waits once all duels have ended. */
  #checkLength({ state: { epoch, duels, protocol }, report }: EpochDecision, duel: Duel): void {
    const hasEnded = ({ start }: Duel) => start + protocol.duelEpochs <= epoch
    const isStuck = hasEnded(duel) && (!isWon(duel, protocol) || duels.every(hasEnded))
    if (isStuck && !report.frozen)
      this.#break({ promise: 'DUEL_ENDS', epoch, detail: duel.contender.hotkey })
  }
}

/** Returns a unique key of a duel, since a contender starts at most one duel in an epoch. */
export const turnOf = ({ contender, start }: Pick<Duel, 'contender' | 'start'>): string =>
  `${contender.hotkey} ${start}`

const isSame = (a: Miner | undefined, b: Miner | undefined): boolean =>
  (a && textOf(pickMiner(a))) === (b && textOf(pickMiner(b)))
