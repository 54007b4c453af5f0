import { canonicalize } from '@affine/prng'
import { countedAttestations, dueSeals, type Lanes, type Seals } from './acceptance.ts'
import { type DuelReport, judge, type Report, updateTrust } from './judgement.ts'
import { pickKeys } from './own-keys.ts'
import { isWon } from './played.ts'
import type { Protocol } from './protocol.ts'
import { listPlaying, orderQueue, recordTurns } from './queue.ts'
import type { Duel, DuelSnapshot, Miner, State } from './state.ts'
import { computeRatio, crown, decay, raiseRecord, rateEnvs, type WonDuel } from './throne.ts'
import { findActive, findDueVoters, updateActive, votingStakes, weighVoters } from './voters.ts'

/** The facts that decide an epoch, in addition to the state that governs it. */
export interface Facts {
  /** The chain at the last block of the epoch. */
  readonly snapshot: DuelSnapshot
  /** The heads on chain at the seal block. */
  readonly seals: Seals
  /** The valid lanes. */
  readonly lanes: Lanes
}

/** The next state, and the report of how it was decided. */
export interface Decision {
  readonly state: State
  readonly report: Report
}

/**
 * Returns the state that governs the next epoch and a report, from the state that governs this one,
 * the chain at the next epoch's snapshot, and this epoch's seals and valid lanes. Everyone computes
 * the same result. Protocol §9.4; §8.6 has the verdicts.
 *
 * Pure, and total over states that `parseState` accepts. Data from strangers in lanes, attestations
 * and commitments is ignored if it does not fit; it never throws. The order of keys and lists has
 * no effect. Does not verify evidence: the caller states that a lane is valid.
 */
export function decide(state: State, { snapshot, seals, lanes }: Facts): Decision {
  const heard = countedAttestations(state, snapshot)
  const judged = judge(state, { heard, seals, lanes })
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
      attested: updateActive(active, heard, snapshot),
      voters,
      trust,
      heads: pickKeys({ ...state.heads, ...dueSeals(state, seals) }, snapshot.hotkeys),
      due: turns.duels.length > 0 ? findDueVoters(voters, heard) : {},
    },
    report: { ...judged, ...(crowned && { crowned: crowned.won.contender.hotkey }) },
  }
}

/** Returns the ratio to beat and the throne's record. Protocol §8.10. */
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

/** Returns the champion and the list of duels of the coming epoch. Protocol §8.11, §8.12. */
function scheduleTurns(
  state: State,
  judged: Report,
  crowned: WonDuel | undefined,
  snapshot: DuelSnapshot,
): Pick<State, 'lastPlayed' | 'duels'> & { readonly champion?: Miner } {
  const { leaving, staying } = splitTurns(state, judged, crowned)
  const begun = crowned?.won.contender ?? state.champion
  const left = snapshot.protocol.epochBlocks * snapshot.epoch - 1
  const ended = recordTurns(state.lastPlayed, leaving, left)
  const going = restartDuels(snapshot, state, staying)
  const queue = orderQueue(
    { ...(begun && { champion: begun }), duels: going, lastPlayed: ended },
    snapshot,
  )
  const seated = begun ? [] : queue.slice(0, 1)
  const champion = begun ?? seated[0]
  const waiting = queue.slice(seated.length)
  const room = snapshot.protocol.duelsMost - going.length
  const isClosed = judged.frozen || going.some((duel) => isWon(duel, snapshot.protocol))
  const contenders = isClosed ? [] : waiting.slice(0, Math.max(0, room))
  const duels = [...going, ...contenders.map((miner) => startDuel(miner, snapshot.epoch))]
  const turns = { ...(champion && { champion }), duels }
  // Drops miners that are neither registered nor in a duel or on the throne.
  const lastPlayed = pickKeys(recordTurns(ended, [...seated, ...contenders]), [
    ...snapshot.hotkeys,
    ...listPlaying(turns),
  ])
  return { ...turns, lastPlayed }
}

/** Returns the miners whose turns have ended, and the duels that continue. */
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
