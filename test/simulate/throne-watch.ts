import {
  type Decided,
  type Duel,
  type DuelSnapshot,
  isWon,
  type Miner,
  minerOf,
  queueOf,
  type State,
  stateRoot,
} from '../../packages/duel/src/index.ts'
import { type Break, textOf } from './witness.ts'

/** What it looks at: an epoch, decided. */
interface Seen extends Pick<Decided, 'state' | 'report'> {
  /** Governed the epoch. */
  readonly before: State
  readonly snapshot: DuelSnapshot
}

/** With so many frozen epochs an open duel is over. Protocol §8.3. */
const FROZEN_MOST = 4

/**
 * Checks by counts of its own, from chain and states, who votes, who has a turn and for how long,
 * and how the throne falls. Protocol §8.1, §8.3, §8.10, §8.11, §8.12.
 */
export class ThroneWatch {
  readonly #break: Break
  /** By hotkey, the last epoch that it attested, or the network's first. */
  readonly #attested = new Map<string, number>()
  /** By open duel, how many of its epochs were frozen. */
  #frozen: ReadonlyMap<string, number> = new Map()

  constructor(onBreak: Break) {
    this.#break = onBreak
  }

  /** Takes an epoch that was decided. Are those who attest a quorum, as far as anyone can tell? */
  see(seen: Seen, hasQuorum: boolean): void {
    const { before, state, snapshot } = seen
    const root = stateRoot(before)
    if (before.attested === undefined)
      for (const { hotkey } of snapshot.validators) this.#attested.set(hotkey, before.epoch)
    this.#checkVoters(seen)
    this.#checkTurns(seen)
    this.#checkFrozen(seen)
    this.#checkBegun(seen, hasQuorum)
    this.#checkThrone(seen)
    this.#checkRatio(seen)
    for (const { hotkey, attest } of snapshot.validators)
      if (attest?.epoch === before.epoch && attest.stateRoot === root)
        this.#attested.set(hotkey, before.epoch)
    for (const duel of state.duels) this.#checkLength(seen, duel)
  }

  /** All active ones vote in the coming epoch, absent or not, and nobody else. */
  #checkVoters({ before: { epoch, protocol }, state, snapshot }: Seen): void {
    const since = (hotkey: string) =>
      epoch - (this.#attested.get(hotkey) ?? Number.NEGATIVE_INFINITY)
    const active = snapshot.validators
      .map(({ hotkey }) => hotkey)
      .filter((hotkey) => since(hotkey) < protocol.quorumEpochs)
    if (textOf(active.sort()) !== textOf(Object.keys(state.voters).sort()))
      this.#break({ promise: 'ACTIVE_VOTE', epoch: epoch + 1 })
  }

  /** Nobody has two turns, or waits in one, and what a miner committed counts until it ends. */
  #checkTurns({ before, state, snapshot }: Seen): void {
    const { epoch, duels, champion } = state
    const playing = [...(champion ? [champion] : []), ...duels.map(({ contender }) => contender)]
    const hotkeys = new Set(playing.map(({ hotkey }) => hotkey))
    if (duels.length > state.protocol.duelsMost || hotkeys.size < playing.length)
      this.#break({ promise: 'ONE_TURN', epoch })
    if (queueOf(state, snapshot).some(({ hotkey }) => hotkeys.has(hotkey)))
      this.#break({ promise: 'TURN_NOT_QUEUED', epoch })
    const isKept = ({ contender, start }: Duel) =>
      start === epoch ||
      before.duels.some((duel) => duel.start === start && isSame(duel.contender, contender))
    if (!duels.every(isKept)) this.#break({ promise: 'TURN_UNCHANGED', epoch })
  }

  /** The fourth frozen epoch ends an open duel, and none begins after a frozen one. */
  #checkFrozen({ before, state, report }: Seen): void {
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

  /** With a quorum the list is full, nobody waits, or somebody has won. */
  #checkBegun({ before, state, snapshot }: Seen, hasQuorum: boolean): void {
    const { champion, duels, protocol, epoch } = state
    const isClosed = duels.some((duel) => isWon(duel, protocol))
    if (isClosed && duels.some(({ start }) => start === epoch))
      this.#break({ promise: 'WON_IS_CLOSED', epoch })
    const hasRoom = champion !== undefined && !isClosed && duels.length < protocol.duelsMost
    const isKnown = Object.keys(before.voters).length > 0
    if (hasQuorum && isKnown && hasRoom && queueOf(state, snapshot).length > 0)
      this.#break({ promise: 'DUELS_BEGIN', epoch })
  }

  /** No champion loses the throne but to a contender that has won, when all are heard. */
  #checkThrone({ before: { champion, epoch }, state, report }: Seen): void {
    if (champion === undefined || isSame(champion, state.champion)) return
    const heir = report.duels.find(({ contender }) => isSame(contender, state.champion))
    const isWonBy = heir?.standing === 'won' && report.crowned === heir.contender.hotkey
    if (!isWonBy) this.#break({ promise: 'THRONE_IS_WON', epoch })
    const isLate = state.duels.some(({ start }) => start <= epoch)
    if (isLate || report.duels.some(({ standing }) => standing === 'open'))
      this.#break({ promise: 'ALL_HEARD', epoch })
  }

  /** What is known of the throne stays known, and only a crowning raises the ratio. */
  #checkRatio({ before, state, report }: Seen): void {
    const { ratioFloorPpm, ratioCeilingPpm } = state.protocol
    const isRaised = report.crowned === undefined && state.ratio > before.ratio
    if (state.ratio < ratioFloorPpm || state.ratio > ratioCeilingPpm || isRaised)
      this.#break({ promise: 'RATIO_BOUNDED', epoch: state.epoch, detail: state.ratio })
    for (const [env, rate] of Object.entries(before.record))
      if ((state.record[env] ?? 0) < rate)
        this.#break({ promise: 'RECORD_KEPT', epoch: state.epoch, detail: env })
  }

  /** Nobody is open for longer than a duel lasts, nor waits for the throne when all are heard. */
  #checkLength({ state: { epoch, duels, protocol }, report }: Seen, duel: Duel): void {
    const hasEnded = ({ start }: Duel) => start + protocol.duelEpochs <= epoch
    const isStuck = hasEnded(duel) && (!isWon(duel, protocol) || duels.every(hasEnded))
    if (isStuck && !report.frozen)
      this.#break({ promise: 'DUEL_ENDS', epoch, detail: duel.contender.hotkey })
  }
}

const turnOf = ({ contender, start }: Duel): string => `${contender.hotkey} ${start}`

const isSame = (a: Miner | undefined, b: Miner | undefined): boolean =>
  (a && textOf(minerOf(a))) === (b && textOf(minerOf(b)))
