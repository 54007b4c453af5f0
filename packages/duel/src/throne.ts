import { attestations } from './acceptance.ts'
import { judge, type Report, weighed } from './judgement.ts'
import { queue, stands } from './queue.ts'
import { decay, ratchet } from './ratchet.ts'
import type { Duel, Lanes, Miner, Seals, Snapshot, State, Witnessed } from './state.ts'
import { contentOf, duelId } from './state.ts'
import { weigh } from './weights.ts'

/**
 * The state that governs the next epoch, from the state that governs this one, the chain at the next epoch's snapshot,
 * and this epoch's seals and whole lanes. Every validator, and anyone else, computes the same one.
 *
 * Pure, and total over states that `parseState` accepts: what a stranger can write into lanes, attestations and
 * commitments is left out when it does not fit, never thrown at. The order of keys and lists changes nothing.
 * It does not check evidence: that a lane is whole is the caller's word.
 */
export function decide(state: State, snapshot: Snapshot, seals: Seals, lanes: Lanes): State {
  return settle(state, snapshot, seals, lanes).state
}

/** As `decide`, with an account of it. */
export function settle(
  state: State,
  snapshot: Snapshot,
  seals: Seals,
  lanes: Lanes,
): { readonly state: State; readonly report: Report } {
  const epoch = state.epoch + 1
  const heard = attestations(state, snapshot)
  const judged = state.duel && judge(state, state.duel, { heard, seals, lanes })
  const registered = new Set(snapshot.hotkeys)
  const keep = <Value>(record: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(record).filter(([hotkey]) => registered.has(hotkey)))
  const sealed = Object.entries(seals).filter(([hotkey]) => Object.hasOwn(state.due, hotkey))
  const heads = keep({ ...state.heads, ...Object.fromEntries(sealed) })
  const trust = keep({ ...state.trust, ...judged?.trust })

  const verdict = judged?.report.outcome
  const sits = (miner?: Miner) => (miner && stands(miner, snapshot) ? miner : undefined)
  const rival = judged?.duel.contender
  // Who leaves loses, the contender first: with both gone the throne is empty.
  const vacated = judged && (!sits(rival) ? 'champion' : !sits(state.champion) ? 'contender' : undefined)
  const outcome = verdict ?? vacated
  const ratio = judged && verdict === 'contender' ? ratcheted(judged.duel, state) : decay(state.ratio, state.protocol)

  const running = outcome ? undefined : judged?.duel
  const waiting = queue(state, snapshot)
  const heir = sits(outcome === 'contender' ? rival : state.champion)
  const crowned = heir ? undefined : waiting.shift()
  const champion = heir ?? crowned
  const weights = weigh(snapshot, heard, trust)
  // A duel without a voter would only cost the contender its turn.
  const contender = running || !champion || Object.keys(weights).length === 0 ? undefined : waiting[0]
  const duel = champion && contender ? begin({ champion, contender, start: epoch, ratio, weights }) : running
  const served = [crowned, contender].flatMap((miner) => (miner ? [contentOf(miner)] : []))
  const idle = { epoch: state.epoch, frozen: false, lanes: {}, envs: {} }
  return {
    state: {
      protocol: running ? state.protocol : snapshot.protocol,
      epoch,
      ratio,
      ...(champion && { champion }),
      dueled: [...state.dueled, ...served].sort(),
      trust,
      heads,
      due: duel ? dueIn(duel, heard) : {},
      ...(duel && { duel }),
    },
    report: { ...(judged?.report ?? idle), ...(outcome && { outcome }) },
  }
}

/** The ratio after a win: of the tallies that won, each without the third of the weight that favoured it most. */
function ratcheted(duel: Duel, { protocol }: State): number {
  const won = Object.keys(duel.verdicts).filter((env) => duel.verdicts[env] === 'win')
  const tallies = won.map((env) => weighed(duel, env, protocol).win)
  return ratchet(tallies, protocol)
}

function begin(terms: Omit<Duel, 'id' | 'tallies' | 'verdicts'>): Duel {
  return { id: duelId(terms.champion, terms.contender, terms.start), ...terms, tallies: {}, verdicts: {} }
}

/** The voters that committed to a secret for the coming epoch. */
function dueIn({ weights }: Duel, heard: Witnessed['heard']): State['due'] {
  const committed = Object.entries(heard).filter(([hotkey]) => Object.hasOwn(weights, hotkey))
  return Object.fromEntries(committed.map(([hotkey, { next }]) => [hotkey, next]))
}
