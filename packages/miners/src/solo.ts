import { type ChallengePair, type Clock, compareRewards, findForfeit } from '@affine/blocks'
import { addChallenge, findWinner, type Match, NO_MATCH, PROTOCOL, type Winner } from '@affine/duel'
import {
  challengeId,
  make,
  play,
  registry,
  SIDES,
  type Side,
  specHash,
  type Transcript,
} from '@affine/envs'
import { canonicalize, type Hash, type Json } from '@affine/prng'
import { addTimeout } from './asking.ts'
import type { Client } from './miner-client.ts'
import { type AnsweringMiner, limitByClock, playPair } from './play-sample.ts'
import type { Opponent } from './player.ts'
import { countLegal, judgeReplies, type ReplyCounts } from './reply-counts.ts'

/** The journal with which an interrupted duel or practice continues, on disk or elsewhere. */
export interface Notes {
  /** Entries at opening, in the order of writing. */
  readonly entries: readonly Json[]
  /** Resolves when the entry is stored. */
  append(entry: Json): Promise<void>
}

type JsonFields = { readonly [key: string]: Json }

/**
 * Returns the first entry of the journal. A new journal gets `terms` and `draws` as its first
 * entry. Returns undefined if the terms in the journal differ.
 */
export async function resumeRun<Terms extends JsonFields, Draws extends JsonFields>(
  notes: Notes,
  terms: Terms,
  draws: Draws,
): Promise<(Terms & Draws) | undefined> {
  const fresh = { ...terms, ...draws }
  const [first] = notes.entries as readonly (Terms & Draws)[]
  if (first === undefined) {
    await notes.append(fresh)
    return fresh
  }
  const names = Object.keys(fresh)
  const isSame = canonicalize({ ...first, ...terms }) === canonicalize(first)
  return isSame && names.every((name) => Object.hasOwn(first, name)) ? first : undefined
}

interface SoloRun {
  /** The first entry states the arguments of the run; the challenges played follow. */
  readonly journal: Notes
  /** Maximum concurrent challenges; in a duel, in each environment. */
  readonly ahead: number
  readonly signal: AbortSignal
  readonly time: Clock
}

/**
 * Plays entries with the functions that `next` returns, at most `ahead` concurrently, until `next`
 * returns undefined. Calls `add` with each entry once it is stored. Rejects if `signal` aborts, or
 * with the first failure, after all pending entries have ended.
 */
export async function playAll<Entry>(
  { journal, ahead, signal }: Pick<SoloRun, 'journal' | 'ahead' | 'signal'>,
  next: () => (() => Promise<Entry>) | undefined,
  add: (entry: Entry) => void,
): Promise<void> {
  const failures: unknown[] = []
  const work = async (): Promise<void> => {
    for (let play = next(); play !== undefined && failures.length === 0; play = next()) {
      const entry = await play()
      signal.throwIfAborted() // an interrupted call looks like a missing reply
      await journal.append(entry as unknown as Json)
      add(entry)
    }
  }
  const noteFailure = (error: unknown): void => void failures.push(error)
  await Promise.all(Array.from({ length: ahead }, () => work().catch(noteFailure)))
  if (failures.length > 0) throw failures[0]
}

/**
 * A duel that one person runs: one lane, which is not trimmed. The secret is 64 hex digits, drawn
 * when the duel starts, so that its challenges are unknown before the start. Protocol §10.
 */
export type SoloDuel = Readonly<
  Record<Side, string> & { secret: Hash; envs: readonly string[]; ratioPpm: number }
>

/**
 * The result of a duel so far: each environment, and the winner once it is certain. Environments in
 * `left` count as held by the champion, because neither side gave a legal answer in the first 20
 * challenges.
 */
export type DuelStanding = {
  readonly envs: Readonly<Record<string, Match>>
  readonly outcome: Winner | undefined
  readonly left: readonly string[]
}

interface DuelRun extends SoloRun {
  readonly duel: SoloDuel
  readonly players: Readonly<Record<Side, Pick<Opponent, 'agent'>>>
  readonly now: () => number
  /** Receives the standing after each new challenge. */
  readonly on: (standing: DuelStanding, played: ChallengePair) => void
}

/**
 * Plays until the better player is certain, without repeating stored challenges. Environments run
 * concurrently. Each environment is evaluated after every decisive challenge, in the order of the
 * index, not of arrival. The champion holds an environment without a verdict after `PROTOCOL.cap`
 * challenges.
 * Rejects if `signal` aborts. Protocol §10.
 */
export async function runDuel(run: DuelRun): Promise<DuelStanding> {
  const duels = run.duel.envs.map((env) => new EnvDuel(env, run))
  const playEnv = (duel: EnvDuel): Promise<void> => {
    const next = () => (readStanding(duels).outcome === undefined ? duel.next() : undefined)
    return playAll(run, next, (played) => {
      duel.add(played)
      run.on(readStanding(duels), played)
    })
  }
  const playing = duels.map(playEnv)
  await Promise.allSettled(playing)
  await Promise.all(playing)
  return readStanding(duels)
}

function readStanding(duels: readonly EnvDuel[]): DuelStanding {
  const envs = Object.fromEntries(duels.map(({ env, match }) => [env, match]))
  const verdicts = Object.fromEntries(duels.map(({ env, match }) => [env, match.verdict]))
  const left = duels.filter(({ isHopeless }) => isHopeless).map(({ env }) => env)
  return { envs, outcome: findWinner(verdicts, PROTOCOL.margin), left }
}

/** Number of challenges, all without a legal answer, after which no more are sent. */
export const HOPELESS = 20

/** The challenges of one environment of a duel, and its match so far. */
class EnvDuel {
  readonly env: string
  match: Match = NO_MATCH
  readonly #run: DuelRun
  /** Stored and new challenges by index. */
  readonly #played = new Map<number, ChallengePair>()
  #next = 0
  #hasLegal = false

  constructor(env: string, run: DuelRun) {
    this.env = env
    this.#run = run
    const stored = run.journal.entries.slice(1) as unknown as readonly ChallengePair[]
    for (const played of stored.filter((each) => each.env === env)) this.add(played)
  }

  /** Whether neither side gave a legal answer in the first challenges, so that no more are sent. */
  get isHopeless(): boolean {
    return !this.#hasLegal && this.match.played >= HOPELESS
  }

  /** Returns a function that plays the next open challenge. Undefined after the verdict or cap. */
  next(): (() => Promise<ChallengePair>) | undefined {
    while (this.#played.has(this.#next)) this.#next += 1
    if (this.match.verdict !== 'continue' || this.#next >= PROTOCOL.cap) return undefined
    const index = this.#next
    this.#next += 1
    return () => this.#play(index)
  }

  /** Adds a challenge, and evaluates challenges in the order of the index up to the first gap. */
  add(pair: ChallengePair): void {
    this.#played.set(pair.index, pair)
    const rule = { ratioPpm: this.#run.duel.ratioPpm, rule: PROTOCOL }
    while (this.match.verdict === 'continue') {
      const next = this.#played.get(this.match.played)
      if (next === undefined) return
      const { champion, contender } = next
      const rewards = { champion: champion.reward, contender: contender.reward }
      this.match = addChallenge(this.match, compareRewards(rewards), rule)
      this.#hasLegal ||= SIDES.some((side) => countLegal(next[side], findForfeit(next, side)) > 0)
      const isOver = this.match.played === PROTOCOL.cap || this.isHopeless
      if (isOver && this.match.verdict === 'continue')
        this.match = { ...this.match, verdict: 'hold' }
    }
  }

  #play(index: number): Promise<ChallengePair> {
    const { duel, players, now, time, signal } = this.#run
    const { replyMs, game } = make(this.env).spec
    const playerOf = (role: Side): AnsweringMiner => {
      const agent = players[role].agent(replyMs)
      const hotkey = duel[role]
      if (game === undefined) return { hotkey, agent }
      return { hotkey, agent: limitByClock(agent, { ...time, ms: game.clockMs, signal }) }
    }
    const challengeId = soloChallenge(this.env, duel.secret, index)
    const sides = { champion: playerOf('champion'), contender: playerOf('contender') }
    return playPair({ env: this.env, index, challengeId }, sides, now)
  }
}

/** Returns the exact ids of the named environments, or of all if `names` is omitted. */
export function resolveEnvironments(
  names: readonly string[] = [...registry.keys()],
): readonly string[] {
  return [...new Set(names.map((name) => make(name).spec.id))]
}

const NONE = '0'.repeat(64)

/**
 * Returns the id of a challenge outside of any subnet, derived from the secret and the index.
 * Protocol §10.
 */
export function soloChallenge(env: string, secret: Hash, index: number): string {
  const nobody = { genesis: NONE, netuid: 0, validator: '', epoch: 0, beacon: NONE }
  return challengeId({ ...nobody, env, specHash: specHash(env), secret, index })
}

/** Returns `count` challenges of each environment, outside of any subnet. */
export const createExercises = (
  envs: readonly string[],
  secret: Hash,
  count: number,
): readonly Exercise[] =>
  envs.flatMap((env) =>
    Array.from({ length: count }, (_, index) => ({
      env,
      challengeId: soloChallenge(env, secret, index),
    })),
  )

/** A challenge for practice. `champion` is the champion's reward in a past challenge. */
export type Exercise = {
  readonly env: string
  readonly challengeId: string
  readonly champion?: number
}

/** A played exercise. `best` is the reward of the scripted player; in a game, of a win. */
export type PlayedExercise = Exercise & Transcript & { readonly best: number }

interface PracticeRun extends SoloRun {
  readonly exercises: readonly Exercise[]
  readonly player: Pick<Opponent, 'agent'>
  /** Strength of the scripted opponent in games. Default: 1. Protocol §3.6. */
  readonly strength?: number
  readonly on: (played: readonly PlayedExercise[]) => void
}

/**
 * Plays the exercises that are not in the journal. Resolves with the played exercises in the order
 * of `exercises`. Rejects if `signal` aborts.
 */
export async function practise(run: PracticeRun): Promise<readonly PlayedExercise[]> {
  const { exercises, journal, on } = run
  const stored = journal.entries.slice(1) as unknown as readonly PlayedExercise[]
  const played = new Map(stored.map((each) => [each.challengeId, each]))
  const open = exercises.filter(({ challengeId }) => !played.has(challengeId))
  const next = (): (() => Promise<PlayedExercise>) | undefined => {
    const exercise = open.shift()
    return exercise && (() => playExercise(exercise, run))
  }
  const add = (exercise: PlayedExercise): void => {
    played.set(exercise.challengeId, exercise)
    on([...played.values()])
  }
  await playAll(run, next, add)
  return exercises.flatMap(({ challengeId }) => played.get(challengeId) ?? [])
}

async function playExercise(
  exercise: Exercise,
  { player, strength, time, signal }: PracticeRun,
): Promise<PlayedExercise> {
  const { env, challengeId } = exercise
  const { spec } = make(env)
  const agent = player.agent(spec.replyMs)
  if (spec.game === undefined) {
    const transcript = await play({ spec }, challengeId, agent)
    return { ...exercise, ...transcript, best: await findBestReward(exercise) }
  }
  const clocked = limitByClock(agent, { ...time, ms: spec.game.clockMs, signal })
  const game = make(env, { strength })
  const transcript = await play(game, challengeId, (messages) => clocked(messages.slice(-1)))
  return { ...exercise, ...transcript, best: spec.highestReward }
}

async function findBestReward({ env, challengeId }: Exercise): Promise<number> {
  const { spec } = make(env)
  const { reward } = await play({ spec }, challengeId, (messages) => ({
    content: spec.solve(messages.at(-1)?.content ?? ''),
  }))
  return reward
}

/** Challenges per environment, concurrent challenges, and time limit of a trial in milliseconds. */
const [TRIAL_CHALLENGES, TRIAL_AHEAD, TRIAL_MS] = [8, 8, 900_000]

/** Challenges are derived from `secret`, 64 hex digits. */
interface TrialOptions extends Pick<SoloRun, 'time' | 'signal'> {
  readonly envs: readonly string[]
  readonly secret: Hash
}

/**
 * Plays eight challenges of each environment with a miner, eight concurrently, and calls the miner
 * as a validator does. Resolves with the counts of its replies. Replies later than 15 minutes after
 * the start count as missing. Rejects if `signal` aborts.
 */
export async function tryMiner(
  client: Client,
  { envs, secret, ...playing }: TrialOptions,
): Promise<readonly (ReplyCounts & { readonly env: string })[]> {
  const end = addTimeout(TRIAL_MS, playing.signal)
  const player = { agent: (replyMs: number) => client(replyMs, end) }
  const exercises = createExercises(envs, secret, TRIAL_CHALLENGES)
  const journal = { entries: [], append: async () => {} }
  const run = { exercises, journal, player, ahead: TRIAL_AHEAD, on: () => {} }
  const played = await practise({ ...playing, ...run })
  return envs.map((env) => ({ env, ...judgeReplies(played.filter((each) => each.env === env)) }))
}
