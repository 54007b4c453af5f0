import { decay } from './evidence.ts'
import { judge, type Lanes, type Report, type Seals } from './judgement.ts'
import type { Winner } from './match.ts'
import { compare } from './record.ts'
import { contentOf, duelId, type Miner, minerOf, type State } from './state.ts'
import { attestations, type Snapshot, weigh } from './voters.ts'

const LONE_SURROGATE = /\p{Surrogate}/u // such a text has no digest

type Settled = { readonly state: State; readonly report: Report }

/**
 * The state that governs the next epoch, from the state that governs this one, the chain at the
 * next epoch's snapshot, and this epoch's seals and whole lanes. Every validator, and anyone else,
 * computes the same one.
 *
 * Pure, and total over states that `parseState` accepts: what a stranger can write into lanes,
 * attestations and commitments is left out when it does not fit, never thrown at. The order of keys
 * and lists changes nothing. It does not check evidence: that a lane is whole is the caller's word.
 */
export function decide(state: State, snapshot: Snapshot, seals: Seals, lanes: Lanes): State {
  return settle(state, snapshot, seals, lanes).state
}

/** As `decide`, with an account of it. */
export function settle(state: State, snapshot: Snapshot, seals: Seals, lanes: Lanes): Settled {
  const epoch = state.epoch + 1
  const heard = attestations(state, snapshot)
  const judged = state.duel && judge(state, state.duel, heard, seals, lanes)
  const keep = <Value>(record: Readonly<Record<string, Value>>) =>
    Object.fromEntries(
      Object.entries(record).filter(([hotkey]) => snapshot.hotkeys.includes(hotkey)),
    )
  const sealed = Object.entries(seals).filter(([hotkey]) => Object.hasOwn(state.due, hotkey))
  const heads = keep({ ...state.heads, ...Object.fromEntries(sealed) })
  const trust = keep({ ...state.trust, ...judged?.trust })
  const ratio = judged?.ratio ?? decay(state.ratio, state.protocol)

  const standing = new Set(candidates(snapshot).map(contentOf))
  const sits = (miner?: Miner) => (miner && standing.has(contentOf(miner)) ? miner : undefined)
  const [holder, rival] = [sits(state.champion), sits(judged?.duel.contender)]
  // Who leaves loses, the contender first: with both gone the throne is empty.
  const vacated: Winner | undefined = !rival ? 'champion' : !holder ? 'contender' : undefined
  const outcome = judged && (judged.report.outcome ?? vacated)

  const running = outcome ? undefined : judged?.duel
  const waiting = queue(state, snapshot)
  const heir = outcome === 'contender' ? rival : holder
  const crowned = heir ? undefined : waiting.shift()
  const champion = heir ?? crowned
  const weights = weigh(snapshot, heard, trust)
  // A duel without a voter would only cost the contender its turn.
  const contender =
    running || !champion || Object.keys(weights).length === 0 ? undefined : waiting[0]
  const terms = { start: epoch, ratio, weights, tallies: {}, verdicts: {} }
  const duel =
    champion && contender
      ? { id: duelId(champion, contender, epoch), champion, contender, ...terms }
      : running
  // The voters that committed to a secret for the coming epoch.
  const due = [...heard].flatMap(([hotkey, { next }]) =>
    duel && Object.hasOwn(duel.weights, hotkey) ? [[hotkey, next] as const] : [],
  )
  const served = [crowned, contender].flatMap((miner) => (miner ? [contentOf(miner)] : []))
  return {
    state: {
      protocol: running ? state.protocol : snapshot.protocol,
      epoch,
      ratio,
      ...(champion && { champion }),
      dueled: [...state.dueled, ...served].sort(),
      trust,
      heads,
      due: Object.fromEntries(due),
      ...(duel && { duel }),
    },
    report: { frozen: false, lanes: {}, envs: {}, ...judged?.report, outcome },
  }
}

/**
 * Who waits for a duel, the next first: registered miners without a permit, by the block of their
 * commitment, then hotkey. A commitment has one duel, so those in `dueled` are out.
 */
export function queue({ dueled }: Pick<State, 'dueled'>, snapshot: Snapshot): Miner[] {
  const permitted = snapshot.validators.map(({ hotkey }) => hotkey)
  const served = new Set(dueled)
  return candidates(snapshot).filter(
    (miner) => !permitted.includes(miner.hotkey) && !served.has(contentOf(miner)),
  )
}

/** Registered miners that a digest can hold, by the block of their commitment, then hotkey. */
function candidates({ hotkeys, miners }: Snapshot): Miner[] {
  return miners
    .filter(
      (miner) =>
        hotkeys.includes(miner.hotkey) &&
        !LONE_SURROGATE.test(Object.values(minerOf(miner)).join(' ')),
    )
    .sort((a, b) => compare(a.block, b.block) || compare(a.hotkey, b.hotkey))
    .map(minerOf)
}
