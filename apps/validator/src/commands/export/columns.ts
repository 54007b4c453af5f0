import { type Episode, forfeitOf, type Sample } from '@affine/blocks'
import { expectedIn, type Report, stateRoot, type Tally, type Trust, trustOf } from '@affine/duel'
import type { Recomputed, SamplePlace } from '@affine/settlement'
import { crownedIn, share, toJson } from '@affine/terminal'
import type { Role } from '../views/miner-lanes.ts'
import type { Columns } from './table-file.ts'

/*
 * The columns of the tables, as docs/research.md has them. No cell begins with what a spreadsheet
 * takes for a formula, but for rewards, which are numbers: what strangers wrote freely is in JSON.
 */

export const EPOCHS: Columns<Recomputed> = {
  epoch: ({ epoch }) => epoch,
  champion: ({ before }) => before.champion?.hotkey,
  contender: ({ before }) => before.duel?.contender.hotkey,
  duel: ({ before }) => before.duel?.id,
  duel_epoch: ({ epoch, before }) => before.duel && epoch - before.duel.start + 1,
  ratio_ppm: ({ before }) => before.duel?.ratio ?? before.ratio,
  frozen: ({ report }) => report.frozen,
  outcome: ({ report }) => report.outcome,
  crowned: (settled) => crownedIn(settled)?.hotkey,
  next_champion: ({ state }) => state.champion?.hotkey,
  next_ratio_ppm: ({ state }) => state.ratio,
  next_root: ({ state }) => stateRoot(state),
}

/** What an open environment came to with an epoch. */
interface EnvFact {
  readonly epoch: number
  readonly env: string
  readonly look: Report['envs'][string]
  /** To beat. */
  readonly ratioPpm: number
}

/** Weighted counts are in challenges, with six decimals at most. */
export const ENVIRONMENTS: Columns<EnvFact> = {
  epoch: ({ epoch }) => epoch,
  env: ({ env }) => env,
  win_won: ({ look }) => share(look.win.wins),
  win_trials: ({ look }) => share(look.win.trials),
  win_expected: ({ look, ratioPpm }) => share(expectedIn(look.sum, ratioPpm)),
  hold_won: ({ look }) => share(look.hold.wins),
  hold_trials: ({ look }) => share(look.hold.trials),
  decisive_ppm: ({ look }) => look.decisivePpm,
  verdict: ({ look }) => look.given,
}

/** An open environment of a lane that was due. */
interface LaneFact {
  readonly epoch: number
  readonly validator: string
  readonly env: string
  readonly lane: Report['lanes'][string]
  readonly weight: number
  /** Undefined for a lane that was not read, or is not whole. */
  readonly tally: Tally | undefined
  /** Why it is void. */
  readonly fault: string | undefined
}

export const LANES: Columns<LaneFact> = {
  epoch: ({ epoch }) => epoch,
  validator: ({ validator }) => validator,
  env: ({ env }) => env,
  weight_ppm: ({ weight }) => weight,
  sealed: ({ lane }) => lane.sealed,
  whole: ({ lane }) => lane.whole,
  attesters: ({ lane }) => lane.attesters.length,
  accepted: ({ lane }) => lane.accepted,
  set_aside: ({ env, lane }) => lane.setAside.includes(env),
  fault: ({ fault }) => fault,
  played: ({ tally }) => tally?.played,
  won: ({ tally }) => tally?.wins,
  lost: ({ tally }) => tally?.losses,
  contender_points: ({ tally }) => tally?.contenderPoints,
  champion_points: ({ tally }) => tally?.championPoints,
}

/** What a validator is trusted with after an epoch. */
interface TrustFact {
  readonly epoch: number
  readonly validator: string
  readonly record: Trust
}

export const TRUST: Columns<TrustFact> = {
  epoch: ({ epoch }) => epoch,
  validator: ({ validator }) => validator,
  trust_ppm: ({ record }) => trustOf(record),
  correct: ({ record }) => share(record.correct),
  incorrect: ({ record }) => share(record.incorrect),
}

/** A challenge, and where it is written. */
export interface SampleFact extends SamplePlace {
  readonly epoch: number
  readonly sample: Sample
}

export const SAMPLES: Columns<SampleFact> = {
  epoch: ({ epoch }) => epoch,
  validator: ({ validator }) => validator,
  env: ({ sample }) => sample.env,
  index: ({ sample }) => sample.index,
  challenge: ({ sample }) => sample.challengeId,
  block: ({ block }) => block,
  verdict: ({ sample }) => sample.verdict,
  ...sideColumns('champion'),
  ...sideColumns('contender'),
}

function sideColumns(side: Role): Columns<SampleFact> {
  return {
    [side]: ({ sample }) => sample[side].miner,
    [`${side}_reward`]: ({ sample }) => sample[side].reward,
    [`${side}_ms`]: ({ sample }) => sample[side].ms,
    [`${side}_forfeit`]: ({ sample }) => forfeitOf(sample, side),
    [`${side}_replies`]: ({ sample }) => repliesIn(sample[side]),
  }
}

/** The replies as a list in JSON, all of it in ASCII: whatever they are, the cell begins with [. */
function repliesIn({ messages }: Episode): string {
  const replies = messages.filter(({ role }) => role === 'assistant')
  return toJson(replies.map(({ content }) => content))
}
