import { canonicalize, own } from '@affine/prng'
import { countedAttestations, dueSeals, type Lanes, type Seals } from './acceptance.ts'
import { compare } from './ascending.ts'
import { type DuelReport, judge, type Report, updateTrust } from './judgement.ts'
import { pickKeys } from './own-keys.ts'
import { isWon } from './played.ts'
import type { Protocol } from './protocol.ts'
import {
  type Candidate,
  type Duel,
  type DuelSnapshot,
  digestContent,
  type LastPlayed,
  type Miner,
  pickMiner,
  type State,
} from './state.ts'
import { computeRatio, crown, decay, raiseRecord, rateEnvs, type WonDuel } from './throne.ts'
import { findActive, findDueVoters, updateActive, votingStakes, weighVoters } from './voters.ts'

/** Facts that decide an epoch, in addition to the state that governs it. */
export interface Facts {
  /** Chain at the last block of the epoch. */
  readonly snapshot: DuelSnapshot
  /** Heads on chain at the seal block. */
  readonly seals: Seals
  readonly lanes: Lanes
}

/** The next state, and a report. */
export interface Decision {
  readonly state: State
  readonly report: Report
}

/**
 * Returns the state that governs the next epoch and a report, from the state that governs this
 * epoch and its facts. Everyone computes the same result. Protocol §9.4.
 *
 * Pure. Never throws for a state that `parseState` accepts: invalid lanes, attestations and
 * commitments are ignored. The order of keys and lists has no effect. Does not verify evidence: the
 * caller states that a lane is valid.
 */
export function decide(state: State, { snapshot, seals, lanes }: Facts): Decision {
  const attestations = countedAttestations(state, snapshot)
  const judged = judge(state, { attestations, seals, lanes })
  const trust = pickKeys(updateTrust(state, judged), snapshot.hotkeys)
  const crowned = crown(state, judged)
  const throne = updateThrone(state, judged, crowned)
  const turns = scheduleTurns(state, judged, crowned, snapshot)
  const active = findActive(state, snapshot)
  const { protocol } = snapshot
  const voters = weighVoters(votingStakes(active, snapshot), trust, protocol)
  return {
    state: {
      protocol,
      epoch: state.epoch + 1,
      ...throne,
      ...turns,
      attested: updateActive(active, attestations, snapshot),
      voters,
      trust,
      heads: pickKeys({ ...state.heads, ...dueSeals(state, seals) }, snapshot.hotkeys),
      due: turns.duels.length > 0 ? findDueVoters(voters, attestations) : {},
    },
    report: { ...judged, ...(crowned && { crowned: crowned.won.contender.hotkey }) },
  }
}

/** Returns the next ratio to beat, and the best known rates of champions. Protocol §8.10. */
function updateThrone(
  state: State,
  judged: Report,
  crowned: WonDuel | undefined,
): Pick<State, 'ratio' | 'record'> {
  const lost = judged.duels.filter(({ standing }) => standing === 'lost')
  const record = lost.reduce(
    (record, duel) => raiseRecord(record, rateEnvs(state, duel), 'champion'),
    state.record,
  )
  if (crowned === undefined) return { ratio: decay(state.ratio, state.protocol), record }
  const ratio = computeRatio(crowned, record, state.protocol)
  return { ratio, record: raiseRecord(record, crowned.rated, 'contender') }
}

/** Returns the champion, duels and `lastPlayed` of the coming epoch. Protocol §8.11, §8.12. */
function scheduleTurns(
  state: State,
  judged: Report,
  crowned: WonDuel | undefined,
  snapshot: DuelSnapshot,
): Pick<State, 'lastPlayed' | 'duels'> & { readonly champion?: Miner } {
  const { protocol, epoch, hotkeys } = snapshot
  const { leaving, staying } = splitTurns(state, judged, crowned)
  const begun = crowned?.won.contender ?? state.champion
  const ended = recordTurns(state.lastPlayed, leaving, protocol.epochBlocks * epoch - 1)
  const going = restartDuels(snapshot, state, staying)
  const queue = orderQueue(
    { ...(begun && { champion: begun }), duels: going, lastPlayed: ended },
    snapshot,
  )
  const isClosed = judged.frozen || going.some((duel) => isWon(duel, protocol))
  const room = isClosed ? 0 : Math.max(0, protocol.duelsMost - going.length)
  const entering = queue.slice(0, begun ? room : room + 1)
  const champion = begun ?? entering[0]
  const contenders = begun ? entering : entering.slice(1)
  const duels = [...going, ...contenders.map((miner) => startDuel(miner, epoch))]
  const turns = { ...(champion && { champion }), duels }
  // Drops miners that are neither registered nor playing.
  const known = [...hotkeys, ...listPlaying(turns)]
  return { ...turns, lastPlayed: pickKeys(recordTurns(ended, entering), known) }
}

/** Returns the miners whose turns end, and the duels that continue. */
function splitTurns({ champion }: State, { duels }: Report, crowned: WonDuel | undefined) {
  const isEnding = ({ standing }: DuelReport) =>
    standing === 'lost' || (crowned !== undefined && standing === 'won')
  const ending = duels.filter(isEnding).map(({ contender }) => contender)
  const staying = duels
    .filter((each) => !isEnding(each))
    .map(({ contender, start, tallies, verdicts }) => ({ contender, start, tallies, verdicts }))
  if (crowned !== undefined && champion !== undefined) ending.push(champion)
  const leaving = ending.filter((miner) => miner.hotkey !== crowned?.won.contender.hotkey)
  return { leaving, staying }
}

/** Returns the duels, restarted if constants other than `templates` differ. Protocol §9.2. */
function restartDuels(
  { protocol, epoch }: DuelSnapshot,
  before: State,
  duels: readonly Duel[],
): readonly Duel[] {
  const ofDuels = (constants: Protocol) => canonicalize({ ...constants, templates: '' })
  if (ofDuels(protocol) === ofDuels(before.protocol)) return duels
  return duels.map(({ contender }) => startDuel(contender, epoch))
}

const startDuel = (contender: Miner, start: number): Duel => ({
  contender,
  start,
  tallies: [],
  verdicts: {},
})

/** A text with a lone surrogate has no digest. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** The miners with a turn, and every miner's last turn. */
type Turns = Pick<State, 'champion' | 'duels' | 'lastPlayed'>

/**
 * Returns the queue, longest wait first: registered miners that are not playing and whose
 * commitment differs from that of their last turn. Protocol §8.12.
 */
export function orderQueue(turns: Turns, snapshot: DuelSnapshot): readonly Miner[] {
  const registered = new Set(snapshot.hotkeys)
  const playing = listPlaying(turns)
  const waiting = snapshot.miners.filter(
    (miner) =>
      registered.has(miner.hotkey) &&
      !playing.has(miner.hotkey) &&
      hasDigest(miner) &&
      own(turns.lastPlayed, miner.hotkey)?.content !== digestContent(miner),
  )
  const since = ({ hotkey, block, registered }: Candidate): number =>
    Math.max(block, registered, own(turns.lastPlayed, hotkey)?.left ?? 0)
  return waiting
    .sort((a, b) => compare(since(a), since(b)) || compare(a.hotkey, b.hotkey))
    .map(pickMiner)
}

/** Returns the hotkeys of the champion and the contenders. */
export const listPlaying = ({ champion, duels }: Omit<Turns, 'lastPlayed'>): ReadonlySet<string> =>
  new Set(
    [champion, ...duels.map(({ contender }) => contender)].flatMap((miner) => miner?.hotkey ?? []),
  )

const hasDigest = (miner: Miner): boolean =>
  !LONE_SURROGATE.test(Object.values(pickMiner(miner)).join(' '))

/**
 * Returns `lastPlayed` with the turns of these miners. `left` is the last block of a turn that has
 * ended. Without `left`, the turns begin, and the miners leave the queue. Protocol §8.12.
 */
function recordTurns(
  lastPlayed: State['lastPlayed'],
  miners: readonly Miner[],
  left?: number,
): State['lastPlayed'] {
  const turnOf = (miner: Miner): LastPlayed => ({
    content: digestContent(miner),
    ...(left !== undefined && { left }),
  })
  const turns = miners.map((miner) => [miner.hotkey, turnOf(miner)] as const)
  return { ...lastPlayed, ...Object.fromEntries(turns) }
}
