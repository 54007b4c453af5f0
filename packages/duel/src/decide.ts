import {
  type Attendance,
  countedAttestations,
  dueSeals,
  isFrozen,
  type Seals,
} from './acceptance.ts'
import { judge, type Lanes, type Report } from './judgement.ts'
import { decay, recordAfter } from './ratio.ts'
import { type Duel, type DuelSnapshot, duelId, type State } from './state.ts'
import { countTurns, fillThrone, type NextThrone } from './succession.ts'
import {
  activeAfter,
  activeBefore,
  dueVoters,
  stakesOf,
  votingStakes,
  weighToday,
  weighVoters,
} from './voters.ts'

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
  readonly quorum: Quorum
}

/** The voters of a duel that starts, or would if it could, and the attestations that count. */
export interface Quorum extends Attendance, Pick<Duel, 'stakes'> {}

/**
 * The state that governs the next epoch, from the state that governs this one, the chain at the
 * next epoch's snapshot, and this epoch's seals and whole lanes; and an account of it. Every
 * validator, and anyone else, computes the same one. Protocol §9.4.
 *
 * Pure, and total over states that `parseState` accepts: what a stranger can write into lanes,
 * attestations and commitments is left out when it does not fit, never thrown at. The order of keys
 * and lists changes nothing. It does not check evidence: that a lane is whole is the caller's word.
 */
export function decide(state: State, { snapshot, seals, lanes }: Facts): Decided {
  const heard = countedAttestations(state, snapshot)
  const judged =
    state.duel &&
    judge(state, state.duel, { weights: weighToday(state.duel, snapshot), heard, seals, lanes })
  const trust = registeredOnly({ ...state.trust, ...judged?.trust }, snapshot)
  const seat = fillThrone(state, judged, snapshot)
  const ratio = seat.crowned
    ? state.protocol.ratioFloorPpm
    : (judged?.ratio ?? decay(state.ratio, state.protocol))
  const active = activeBefore(state, snapshot)
  const voting = votingStakes(active, snapshot)
  const weights = weighVoters(voting, trust, snapshot.protocol)
  const quorum = { weights, stakes: stakesOf(weights, voting), heard }
  const started = startDuel(seat, quorum, { start: state.epoch + 1, ratio })
  const duel = seat.running ?? started
  const served = [seat.crowned, started?.contender].filter((miner) => miner !== undefined)
  return {
    state: {
      protocol: seat.running ? state.protocol : snapshot.protocol,
      epoch: state.epoch + 1,
      ratio,
      ...(seat.champion && { champion: seat.champion }),
      record: recordAfter(state.record, seat, judged?.reports ?? {}),
      turns: state.turns + served.length,
      dueled: registeredOnly(countTurns(seat.dueled, served, snapshot), snapshot),
      attested: activeAfter(active, heard, snapshot),
      trust,
      heads: registeredOnly({ ...state.heads, ...dueSeals(state, seals) }, snapshot),
      due: dueVoters(duel, heard),
      ...(duel && { duel }),
    },
    report: { ...NO_DUEL, ...judged?.report, outcome: seat.outcome },
    quorum,
  }
}

/** The report of an epoch without a duel. */
const NO_DUEL: Report = {
  frozen: false,
  lanes: {},
  envs: {},
  verdicts: {},
  outcome: undefined,
}

/**
 * The next duel, if none runs, somebody waits, and as much weight attests as in an epoch that is
 * not frozen. Protocol §8.1, §8.11.
 */
function startDuel(
  { running, champion, waiting }: NextThrone,
  quorum: Quorum,
  terms: Pick<Duel, 'start' | 'ratio'>,
): Duel | undefined {
  const [contender] = waiting
  if (running || !champion || !contender || isFrozen(quorum)) return undefined
  const id = duelId(champion, contender, terms.start)
  const { weights, stakes } = quorum
  const voters = { weights, stakes }
  return { id, champion, contender, ...terms, ...voters, frozen: 0, tallies: {}, verdicts: {} }
}

/** What a record has of hotkeys that are registered in the snapshot. Protocol §9.4. */
function registeredOnly<Value>(
  record: Readonly<Record<string, Value>>,
  { hotkeys }: DuelSnapshot,
): Record<string, Value> {
  const registered = new Set(hotkeys)
  return Object.fromEntries(Object.entries(record).filter(([hotkey]) => registered.has(hotkey)))
}
