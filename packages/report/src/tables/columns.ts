import { type Episode, forfeitOf, type Sample } from '@affine/blocks'
import { type Tally, type Trust, trustOf } from '@affine/duel'
import type { SamplePlace } from '@affine/settlement'
import type { EnvFacts } from '../env-facts.ts'
import type { EpochFacts, LaneFacts } from '../epoch-facts.ts'
import type { Side } from '../sides.ts'
import { escapeUnit, share, toJson } from '../text.ts'

/** What a cell may hold: undefined is an empty one. */
export type Cell = string | number | boolean | undefined

/** By its name, what each column has of a fact. */
export type Columns<Fact> = Readonly<Record<string, (fact: Fact) => Cell>>

/*
 * The columns of the tables, as docs/research.md has them. No cell begins with what a spreadsheet
 * takes for a formula, but for rewards, which are numbers: what strangers wrote freely is in JSON.
 */

export const EPOCHS: Columns<EpochFacts> = {
  epoch: ({ epoch }) => epoch,
  champion: ({ champion }) => champion?.hotkey,
  contender: ({ duel }) => duel?.contender.hotkey,
  duel: ({ duel }) => duel?.id,
  duel_epoch: ({ duel }) => duel?.epochIndex,
  ratio_ppm: ({ ratio }) => ratio,
  frozen: ({ frozen }) => frozen,
  outcome: ({ duel }) => duel?.end?.winner,
  crowned: ({ crowned }) => crowned?.hotkey,
  next_champion: ({ heir }) => heir?.hotkey,
  next_ratio_ppm: ({ nextRatio }) => nextRatio,
  next_root: ({ root }) => root,
}

/** What an open environment came to with an epoch. */
interface EnvFact extends EnvFacts {
  readonly epoch: number
}

/** Weighted counts are in challenges, with six decimals at most. */
export const ENVIRONMENTS: Columns<EnvFact> = {
  epoch: ({ epoch }) => epoch,
  env: ({ env }) => env,
  win_won: ({ win }) => share(win.wins),
  win_trials: ({ win }) => share(win.trials),
  win_expected: ({ expected }) => share(expected),
  hold_won: ({ hold }) => share(hold.wins),
  hold_trials: ({ hold }) => share(hold.trials),
  decisive_ppm: ({ decisivePpm }) => decisivePpm,
  verdict: ({ given }) => given,
}

/** An open environment of a lane that was due. */
interface LaneFact {
  readonly epoch: number
  readonly env: string
  readonly lane: LaneFacts
  readonly weight: number
  /** Undefined for a lane that was not read, or is not whole. */
  readonly tally: Tally | undefined
}

export const LANES: Columns<LaneFact> = {
  epoch: ({ epoch }) => epoch,
  validator: ({ lane }) => lane.validator,
  env: ({ env }) => env,
  weight_ppm: ({ weight }) => weight,
  sealed: ({ lane }) => lane.sealed,
  attesters: ({ lane }) => lane.attesters.length,
  attested: ({ lane }) => lane.attested,
  accepted: ({ lane }) => lane.accepted,
  set_aside: ({ env, lane }) => lane.setAside.includes(env),
  fault: ({ lane }) => lane.fault,
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

function sideColumns(side: Side): Columns<SampleFact> {
  return {
    [side]: ({ sample }) => sample[side].miner,
    [`${side}_reward`]: ({ sample }) => sample[side].reward,
    [`${side}_ms`]: ({ sample }) => sample[side].ms,
    [`${side}_forfeit`]: ({ sample }) => forfeitOf(sample, side),
    [`${side}_replies`]: ({ sample }) => repliesIn(sample[side]),
  }
}

/**
 * The replies as a list in JSON, all of it in ASCII. What a formula begins with is escaped wherever
 * it stands: a spreadsheet may split the cell anywhere, as at each `;`.
 */
function repliesIn({ messages }: Episode): string {
  const replies = messages.filter(({ role }) => role === 'assistant')
  return toJson(replies.map(({ content }) => content)).replace(/[=+@-]/g, escapeUnit)
}
