import { type Attestations, attestations } from './acceptance.ts'
import { judge, type Report, weighed } from './judgement.ts'
import { queue, stands } from './queue.ts'
import { decay, ratchet } from './ratchet.ts'
import { own } from './record.ts'
import { contentOf, type Duel, duelId, type Lanes, type Seals, type Snapshot, type State } from './state.ts'
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
  const heard = attestations(state, snapshot)
  const judged = state.duel && judge(state, state.duel, heard, seals, lanes)
  const registered = new Set(snapshot.hotkeys)
  const keep = <Value>(record: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(record).filter(([hotkey]) => registered.has(hotkey)))
  const sealed = Object.entries(seals).filter(([hotkey]) => Object.hasOwn(state.due, hotkey))
  const heads = keep({ ...state.heads, ...Object.fromEntries(sealed) })
  const trust = keep({ ...state.trust, ...judged?.trust })

  let { champion, dueled } = state
  let duel = judged?.duel
  let ended = judged?.report.outcome
  let ratio = decay(state.ratio, state.protocol)
  if (duel && ended === 'contender') {
    champion = duel.contender
    ratio = ratchet(wonTallies(duel, state), state.protocol)
  }
  if (ended) duel = undefined
  if (duel && !stands(duel.contender, snapshot)) {
    ended = 'champion'
    duel = undefined
  }
  if (champion && !stands(champion, snapshot)) {
    champion = duel?.contender
    if (duel) ended = 'contender'
    duel = undefined
  }

  const protocol = duel ? state.protocol : snapshot.protocol
  if (!champion) {
    champion = queue({ dueled }, snapshot)[0]
    if (champion) dueled = [...dueled, contentOf(champion)].sort()
  }
  const contender = duel ? undefined : queue({ dueled }, snapshot)[0]
  if (champion && contender) {
    const weights = weigh(snapshot, heard, trust)
    // A duel without a voter would only cost the contender its turn.
    if (Object.keys(weights).length > 0) {
      const start = state.epoch + 1
      duel = {
        id: duelId(champion, contender, start),
        champion,
        contender,
        start,
        ratio,
        weights,
        tallies: {},
        verdicts: {},
      }
      dueled = [...dueled, contentOf(contender)].sort()
    }
  }
  const next: State = {
    protocol,
    epoch: state.epoch + 1,
    ratio,
    ...(champion && { champion }),
    dueled,
    trust,
    heads,
    due: duel ? dueOf(duel, heard) : {},
    ...(duel && { duel }),
  }
  const idle = { epoch: state.epoch, frozen: false, lanes: {}, envs: {} }
  return { state: next, report: { ...(judged?.report ?? idle), ...(ended && { outcome: ended }) } }
}

/** The tallies that won, each without the third of the weight that favoured the win most. */
function wonTallies(duel: Duel, { protocol }: State) {
  const won = Object.keys(duel.verdicts).filter((env) => own(duel.verdicts, env) === 'win')
  return won.map((env) => weighed(duel, env, protocol).win)
}

/** The voters that committed to a secret for the coming epoch. */
function dueOf({ weights }: Duel, heard: Attestations): State['due'] {
  const committed = [...heard].filter(([hotkey]) => Object.hasOwn(weights, hotkey))
  return Object.fromEntries(committed.map(([hotkey, { next }]) => [hotkey, next]))
}
