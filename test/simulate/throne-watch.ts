import {
  type Duel,
  type Miner,
  minerOf,
  nextContenders,
  stateRoot,
} from '../../packages/duel/src/index.ts'
import type { Recomputed } from '../../packages/settlement/src/index.ts'
import { type Break, textOf } from './witness.ts'

/** What it looks at. */
type Seen = Pick<Recomputed, 'before' | 'state' | 'snapshot' | 'report'>

/** With so many frozen epochs a duel is over. Protocol §8.3. */
const FROZEN_MOST = 4

/**
 * Checks by a count of its own, from chain and states, when duels start and how the throne falls.
 * Protocol §8.1, §8.3, §8.11.
 */
export class ThroneWatch {
  readonly #break: Break
  /** By hotkey, the last epoch that it attested, or the network's first. */
  readonly #attested = new Map<string, number>()
  /** Of the duel that goes on. */
  #frozen = 0

  constructor(onBreak: Break) {
    this.#break = onBreak
  }

  /** Takes an epoch that was decided. Are those who attest a quorum, as far as anyone can tell? */
  see(decided: Seen, hasQuorum: boolean): void {
    const heard = this.#heardIn(decided)
    const { before, state, snapshot } = decided
    const isFirst = before.attested === undefined
    if (isFirst)
      for (const { hotkey } of snapshot.validators) this.#attested.set(hotkey, before.epoch)
    if (state.duel && state.duel.id !== before.duel?.id)
      this.#checkStart(decided, state.duel, heard)
    if (hasQuorum) this.#checkWaiting(decided)
    this.#checkFrozen(decided)
    this.#checkThrone(decided)
    for (const hotkey of heard) this.#attested.set(hotkey, before.epoch)
  }

  /** Whose attestation of the epoch and its state is on chain. */
  #heardIn({ before, snapshot }: Seen): ReadonlySet<string> {
    const root = stateRoot(before)
    const heard = snapshot.validators.filter(
      ({ attest }) => attest?.epoch === before.epoch && attest.stateRoot === root,
    )
    return new Set(heard.map(({ hotkey }) => hotkey))
  }

  /** All active ones vote, absent or not, and two thirds of them attest. */
  #checkStart({ before, snapshot }: Seen, { weights }: Duel, heard: ReadonlySet<string>): void {
    const { epoch, protocol } = before
    const since = (hotkey: string) =>
      epoch - (this.#attested.get(hotkey) ?? Number.NEGATIVE_INFINITY)
    const active = snapshot.validators
      .map(({ hotkey }) => hotkey)
      .filter((hotkey) => since(hotkey) < protocol.quorumEpochs)
    if (textOf(active.sort()) !== textOf(Object.keys(weights).sort()))
      this.#break('all active validators vote', `not in the duel from epoch ${epoch + 1} on`)
    let [attesting, all] = [0, 0]
    for (const [hotkey, weight] of Object.entries(weights)) {
      all += weight
      if (heard.has(hotkey)) attesting += weight
    }
    if (3 * attesting < 2 * all)
      this.#break('no duel starts without a quorum', `one does in epoch ${epoch + 1}`)
  }

  #checkWaiting({ state, snapshot }: Seen): void {
    const isWaiting = nextContenders(state, snapshot).length > 0
    if (state.champion && !state.duel && isWaiting)
      this.#break('with a quorum a duel starts', `none does in epoch ${state.epoch}`)
  }

  #checkFrozen({ before, report }: Seen): void {
    if (before.duel === undefined) return
    if (report.frozen) this.#frozen += 1
    const isOver = this.#frozen >= FROZEN_MOST
    if (isOver && report.outcome !== 'champion')
      this.#break('the fourth frozen epoch ends a duel', `not epoch ${before.epoch}`)
    if (report.outcome !== undefined) this.#frozen = 0
  }

  /** A champion that stands loses the throne to nobody but a contender, by a duel that ended. */
  #checkThrone({ before, state, snapshot, report }: Seen): void {
    const { champion, duel, epoch } = before
    if (champion === undefined || isSame(champion, state.champion)) return
    const stands = (one: Miner | undefined) => snapshot.miners.some((miner) => isSame(one, miner))
    if (!stands(champion)) return
    const isHeir = isSame(duel?.contender, state.champion) || !stands(duel?.contender)
    if (report.outcome !== 'contender' || !isHeir)
      this.#break('the throne is won in a duel', `not in epoch ${epoch}`)
  }
}

const isSame = (a: Miner | undefined, b: Miner | undefined): boolean =>
  (a && textOf(minerOf(a))) === (b && textOf(minerOf(b)))
