import { canonicalize } from '@affine/prng'
import { countedAttestations, dueSeals, type Lanes, type Seals } from './acceptance.ts'
import { type DuelReport, judge, type Report, updateTrust } from './judgement.ts'
import { pickKeys } from './own-keys.ts'
import { isWon } from './played.ts'
import type { Protocol } from './protocol.ts'
import { playingIn, queueOf, recordTurns } from './queue.ts'
import type { Duel, DuelSnapshot, Miner, State } from './state.ts'
import { chooseCrowned, decay, rateEnvs, computeRatio, type WonDuel, raiseRecord } from './throne.ts'
import { updateActive, findActive, findDueVoters, votingStakes, weighVoters } from './voters.ts'

/** What an epoch is decided from, besides the state that governs it. */
export interface Facts {
  /** The chain at the last block of the epoch. */
  readonly snapshot: DuelSnapshot
  /** The heads on chain when lanes closed. */
  readonly seals: Seals
  /** The lanes that are whole. */
  readonly lanes: Lanes
}

/** The next state, with an account of how it came about. */
export interface Decided {
  readonly state: State
  readonly report: Report
}

/**
 * The state that governs the next epoch, from the state that governs this one, the chain at the
 * next epoch's snapshot, and this epoch's seals and whole lanes; and an account of it. Every
 * validator, and anyone else, computes the same one. Protocol §9.4; the verdicts are §8.6's.
 *
 * Pure, and total over states that `parseState` accepts: what a stranger can write into lanes,
 * attestations and commitments is left out when it does not fit, never thrown at. The order of keys
 * and lists changes nothing. It does not check evidence: that a lane is whole is the caller's word.
 */
export function decide(state: State, { snapshot, seals, lanes }: Facts): Decided {
  const heard = countedAttestations(state, snapshot)
  const judged = judge(state, { heard, seals, lanes })
  const trust = pickKeys(updateTrust(state, judged), snapshot.hotkeys)
  const crowned = chooseCrowned(state, judged)
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

/** The ratio to beat and the throne's record. Protocol §8.10. */
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

/** The champion and the list of duels of the coming epoch. Protocol §8.11, §8.12. */
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
  const queue = queueOf(
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
  // Those who neither are registered nor have a turn are forgotten.
  const lastPlayed = pickKeys(recordTurns(ended, [...seated, ...contenders]), [
    ...snapshot.hotkeys,
    ...playingIn(turns),
  ])
  return { ...turns, lastPlayed }
}

/** Whose turns have ended, and the duels that go on. */
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

/** The duels, begun anew where constants other than `templates` differ. Protocol §9.2. */
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
