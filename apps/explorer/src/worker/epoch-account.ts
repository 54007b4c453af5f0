import {
  contentOf,
  type Duel,
  type Miner,
  stateRoot,
  trustOf,
  weighToday,
  winnerBy,
} from '@affine/duel'
import type { Flaw, Recomputed, Remark, Votes } from '@affine/settlement'
import type { Deeds, Side } from '../deeds.ts'
import { type EnvAccount, envAccount } from './env-account.ts'

/** How an epoch left the throne. */
type Ending =
  | 'dethroned'
  | 'inherited'
  | 'held'
  | 'failed-and-left'
  | 'won-and-left'
  | 'crowned'
  | 'emptied'

/** What became of a validator that was due. */
export interface LaneAccount {
  readonly validator: string
  readonly sealed: boolean
  readonly whole: boolean
  readonly accepted: boolean
  readonly setAside: readonly string[]
  readonly attesters: readonly string[]
  /** After the epoch, in ppm. */
  readonly trust: number
  /** Why its lane is void. */
  readonly fault: string | undefined
}

/** One epoch as it may be shown: plain values, for another thread. */
export interface EpochAccount {
  readonly epoch: number
  readonly champion: Miner | undefined
  /** To beat in the epoch, in ppm. */
  readonly ratio: number
  readonly duel: DuelTurn | undefined
  readonly frozen: boolean
  readonly lanes: readonly LaneAccount[]
  readonly envs: readonly EnvAccount[]
  readonly endings: readonly Ending[]
  /** Who has the throne in the next epoch, and the ratio then. */
  readonly heir: Miner | undefined
  readonly nextRatio: number
  /** Of the state that governs the next epoch. */
  readonly root: string
  readonly flaws: readonly Flaw[]
  /** How many copies of its blocks were compared; undefined before. */
  readonly copies?: number
  readonly remarks: readonly Remark[]
  readonly votes: Votes | undefined
  /** By validator, in ppm, of all who have a record. */
  readonly trust: Readonly<Record<string, number>>
  readonly deeds: Readonly<Record<Side, Deeds>>
}

/** A duel as it stood in an epoch. */
export interface DuelTurn
  extends Pick<Duel, 'id' | 'champion' | 'contender' | 'start' | 'ratio' | 'verdicts'> {
  /** Of the epoch, from 1, and how many it may have. */
  readonly turn: number
  readonly most: number
  /** What a contender needs: wins among so many environments. */
  readonly environments: number
  readonly margin: number
}

/** The account of an epoch that was recomputed. */
export function epochAccount(
  recomputed: Recomputed,
  deeds: Readonly<Record<Side, Deeds>>,
): EpochAccount {
  const { before, state, report, snapshot, flaws, remarks, votes } = recomputed
  const { duel } = before
  const weights = duel ? weighToday(duel, snapshot) : {}
  const ratioPpm = duel?.ratio ?? before.ratio
  return {
    epoch: before.epoch,
    champion: before.champion,
    ratio: ratioPpm,
    duel: duel && turnOf(duel, recomputed),
    frozen: report.frozen,
    lanes: laneAccounts(recomputed),
    envs: Object.entries(report.envs).map(([env, seen]) =>
      envAccount({ env, report: seen, weights, ratioPpm }),
    ),
    endings: endingsOf(recomputed),
    heir: state.champion,
    nextRatio: state.ratio,
    root: stateRoot(state),
    flaws,
    remarks,
    votes,
    trust: Object.fromEntries(
      Object.entries(state.trust).map(([hotkey, record]) => [hotkey, trustOf(record)]),
    ),
    deeds,
  }
}

function turnOf(duel: Duel, { before: { epoch, protocol }, report }: Recomputed): DuelTurn {
  const { id, champion, contender, start, ratio } = duel
  return {
    id,
    champion,
    contender,
    start,
    ratio,
    verdicts: report.verdicts,
    turn: epoch - start + 1,
    most: protocol.duelEpochs,
    environments: Object.keys(protocol.envs).length,
    margin: protocol.margin,
  }
}

function laneAccounts({ report, lanes, state }: Recomputed): readonly LaneAccount[] {
  return Object.entries(report.lanes).map(([validator, lane]) => {
    const read = lanes.get(validator)
    const fault = read === undefined || read.ok ? undefined : `${read.code}: ${read.detail}`
    return { validator, ...lane, trust: trustOf(state.trust[validator]), fault }
  })
}

/** Protocol §8.11. */
function endingsOf(recomputed: Recomputed): readonly Ending[] {
  const { before, state } = recomputed
  const ending = duelEnding(recomputed)
  const isWon = ending === 'dethroned' || ending === 'inherited'
  const isKept = isWon || isSame(state.champion, before.champion)
  const endings: readonly Ending[] = ending === undefined ? [] : [ending]
  if (isKept) return endings
  return [...endings, state.champion ? 'crowned' : 'emptied']
}

/** How the duel ended, if it did. */
function duelEnding(recomputed: Recomputed): Ending | undefined {
  const { before, state, report } = recomputed
  const { duel } = before
  if (duel === undefined || report.outcome === undefined) return undefined
  const heirIs = (miner: Miner): boolean => isSame(state.champion, miner)
  if (report.outcome === 'champion') return heirIs(duel.champion) ? 'held' : 'failed-and-left'
  if (!heirIs(duel.contender)) return 'won-and-left'
  return hasVerdict(recomputed) ? 'dethroned' : 'inherited'
}

/** Was it decided by verdicts, and not because the champion left? Protocol §8.7. */
function hasVerdict({ before: { protocol }, report: { verdicts } }: Recomputed): boolean {
  return winnerBy(verdicts, protocol) === 'contender'
}

const isSame = (a: Miner | undefined, b: Miner | undefined): boolean =>
  (a && contentOf(a)) === (b && contentOf(b))
