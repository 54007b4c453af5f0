import { countedAttestations, dueSeals, type Seals } from './acceptance.ts'
import { recordAfter } from './ending.ts'
import { type Judgement, judge, type Lanes, type Report } from './judgement.ts'
import { candidatesIn, countTurns, nextContenders } from './queue.ts'
import { decay } from './ratio.ts'
import type { DuelSnapshot } from './snapshot.ts'
import { contentOf, type Duel, duelId, type Miner, type State } from './state.ts'
import { dueVoters, stakesOf, weighToday, weighVoters } from './voters.ts'
import type { Winner } from './winner.ts'

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
 * next epoch's snapshot, and this epoch's seals and whole lanes. Every validator, and anyone else,
 * computes the same one. Protocol §9.4.
 *
 * Pure, and total over states that `parseState` accepts: what a stranger can write into lanes,
 * attestations and commitments is left out when it does not fit, never thrown at. The order of keys
 * and lists changes nothing. It does not check evidence: that a lane is whole is the caller's word.
 */
export function decide(state: State, facts: Facts): State {
  return settle(state, facts).state
}

/** As `decide`, with an account of it. Protocol §9.4. */
export function settle(state: State, { snapshot, seals, lanes }: Facts): Decided {
  const heard = countedAttestations(state, snapshot)
  const judged =
    state.duel &&
    judge(state, state.duel, { weights: weighToday(state.duel, snapshot), heard, seals, lanes })
  const trust = registeredOnly({ ...state.trust, ...judged?.trust }, snapshot)
  const seat = fillThrone(state, judged, snapshot)
  const ratio = seat.crowned
    ? state.protocol.ratioFloorPpm
    : (judged?.ratio ?? decay(state.ratio, state.protocol))
  const isHeir = seat.champion && !seat.crowned
  const record = isHeir ? recordAfter(state.record, seat.outcome, judged?.reports ?? {}) : {}
  const weights = weighVoters(snapshot, heard, trust)
  const stakes = stakesOf(weights, snapshot)
  const terms = { start: state.epoch + 1, ratio, weights, stakes }
  const started = startDuel(seat, terms)
  const duel = seat.running ?? started
  const served = [seat.crowned, started?.contender].filter((miner) => miner !== undefined)
  return {
    state: {
      protocol: seat.running ? state.protocol : snapshot.protocol,
      epoch: state.epoch + 1,
      ratio,
      ...(seat.champion && { champion: seat.champion }),
      record,
      dueled: registeredOnly(countTurns(state.dueled, served, snapshot), snapshot),
      trust,
      heads: registeredOnly({ ...state.heads, ...dueSeals(state, seals) }, snapshot),
      due: dueVoters(duel, heard),
      ...(duel && { duel }),
    },
    report: { ...NO_DUEL, ...judged?.report, outcome: seat.outcome },
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

/** Who has the throne in the coming epoch, and who waits. */
interface NextThrone {
  /** How the duel ended, if it did. */
  readonly outcome: Winner | undefined
  /** The duel, if it goes on. */
  readonly running: Duel | undefined
  readonly champion: Miner | undefined
  /** The champion, if it took an empty throne from the queue. */
  readonly crowned: Miner | undefined
  /** The queue, without who was crowned. */
  readonly waiting: readonly Miner[]
}

/** The winner, who stands, or the first of the queue has the throne. Protocol §8.11. */
function fillThrone(
  state: State,
  judged: Judgement | undefined,
  snapshot: DuelSnapshot,
): NextThrone {
  const standing = new Set(candidatesIn(snapshot).map(contentOf))
  const ifStanding = (miner: Miner | undefined): Miner | undefined => {
    if (miner && standing.has(contentOf(miner))) return miner
    return undefined
  }
  const holder = ifStanding(state.champion)
  const rival = ifStanding(judged?.duel.contender)

  const outcome = judged && endOf(judged.report, { holder, rival })
  const running = outcome ? undefined : judged?.duel
  const heir = outcome === 'contender' ? rival : holder
  const waiting = nextContenders(state, snapshot)
  if (heir) return { outcome, running, champion: heir, crowned: undefined, waiting }
  const [crowned, ...rest] = waiting
  return { outcome, running, champion: crowned, crowned, waiting: rest }
}

/**
 * How a duel has ended: by its verdicts or its length; else who leaves loses, the contender first:
 * with both gone the throne is empty. Protocol §8.11.
 */
function endOf({ outcome }: Report, { holder, rival }: DuelSides): Winner | undefined {
  if (outcome) return outcome
  if (!rival) return 'champion'
  if (!holder) return 'contender'
  return undefined
}

/** The two of a duel, absent if they do not stand. */
interface DuelSides {
  readonly holder: Miner | undefined
  readonly rival: Miner | undefined
}

/**
 * The next duel, if none runs, somebody waits and somebody votes: without a voter it would only
 * cost the contender its turn. Protocol §8.11.
 */
function startDuel({ running, champion, waiting }: NextThrone, terms: Terms): Duel | undefined {
  const [contender] = waiting
  const hasVoters = Object.keys(terms.weights).length > 0
  if (running || !champion || !contender || !hasVoters) return undefined
  const id = duelId(champion, contender, terms.start)
  return { id, champion, contender, ...terms, tallies: {}, verdicts: {} }
}

type Terms = Pick<Duel, 'start' | 'ratio' | 'weights' | 'stakes'>

/** What a record has of hotkeys that are registered in the snapshot. Protocol §9.4. */
function registeredOnly<Value>(
  record: Readonly<Record<string, Value>>,
  { hotkeys }: DuelSnapshot,
): Record<string, Value> {
  const registered = new Set(hotkeys)
  return Object.fromEntries(Object.entries(record).filter(([hotkey]) => registered.has(hotkey)))
}
