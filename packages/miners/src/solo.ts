import {
  type ChallengePair,
  type Clock,
  challengeVerdict,
  forfeitIn,
  forfeitOf,
} from '@affine/blocks'
import { addChallenge, type Match, NO_MATCH, PROTOCOL, type Winner, winnerOf } from '@affine/duel'
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
import { countLegalReplies, Hope, judgeReplies, type ReplyCounts } from './reply-counts.ts'

/** What somebody plays by oneself, on disk or wherever it is kept, to be taken up again. */
export interface Notes {
  /** What was there when they were opened, in the order of its writing. */
  readonly entries: readonly Json[]
  /** Resolves when the entry is kept. */
  append(entry: Json): Promise<void>
}

type JsonFields = { readonly [key: string]: Json }

/**
 * What is played: the first entry of the notes, or what was asked for with what is drawn for it
 * now, which is their first entry from then on; undefined when they are of something else.
 */
export async function takeUp<Asked extends JsonFields, Drawn extends JsonFields>(
  notes: Notes,
  asked: Asked,
  drawn: Drawn,
): Promise<(Asked & Drawn) | undefined> {
  const fresh = { ...asked, ...drawn }
  const [begun] = notes.entries as readonly (Asked & Drawn)[]
  if (begun === undefined) {
    await notes.append(fresh)
    return fresh
  }
  const names = Object.keys(fresh)
  const isSame = canonicalize({ ...begun, ...asked }) === canonicalize(begun)
  return isSame && names.every((name) => Object.hasOwn(begun, name)) ? begun : undefined
}

interface SoloRun {
  /** Begins with what is played; what was played follows. */
  readonly journal: Notes
  /** Challenges under way at once; in a duel, in each environment. */
  readonly ahead: number
  readonly signal: AbortSignal
  /** By what the clocks of games run. */
  readonly time: Clock
}

/**
 * Plays what is left, side by side: what `next` gives, until that is undefined. `add` hears what
 * was played, once it is kept. Rejects when `signal` aborts, or with the first failure, once
 * nothing is under way any more; what is in the journal then need not be played again.
 */
export async function playAll<Entry>(
  { journal, ahead, signal }: Pick<SoloRun, 'journal' | 'ahead' | 'signal'>,
  next: () => (() => Promise<Entry>) | undefined,
  add: (entry: Entry) => void,
): Promise<void> {
  let hasFailed = false
  const work = async (): Promise<void> => {
    for (let play = next(); play !== undefined && !hasFailed; play = next()) {
      const entry = await play()
      signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
      await journal.append(entry as unknown as Json)
      add(entry)
    }
  }
  const noteFailure = (error: unknown): never => {
    hasFailed = true
    throw error
  }
  await awaitAll(Array.from({ length: ahead }, () => work().catch(noteFailure)))
}

/** Resolves once all have; rejects with the first failure, but not before all have ended. */
async function awaitAll(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}

/**
 * A duel that one person runs: one lane, nothing trimmed. Kept beside what was played, so that it
 * can be taken up again. The secret is 64 hex digits, drawn when the duel starts: nobody knows its
 * challenges before. Protocol §10.
 */
export type SoloDuel = Readonly<
  Record<Side, string> & { secret: Hash; envs: readonly string[]; ratioPpm: number }
>

/**
 * The result of a duel so far: each environment, and the winner once it is certain. Environments
 * that are `left` are held because no side gave a legal answer in the first 20 challenges.
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
  /** Hears how it stands after every challenge; what the journal had is not told. */
  readonly on: (standing: DuelStanding, played: ChallengePair) => void
}

/**
 * Plays until it is certain who is better: environments side by side, a look after every decisive
 * challenge in the order of the index, never of arrival. An environment without a verdict after
 * `PROTOCOL.cap` challenges is held. Rejects when `signal` aborts; what is in the journal then is
 * not played again. Protocol §10.
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
  await awaitAll(duels.map(playEnv))
  return readStanding(duels)
}

function readStanding(duels: readonly EnvDuel[]): DuelStanding {
  const envs = Object.fromEntries(duels.map(({ env, match }) => [env, match]))
  const verdicts = Object.fromEntries(duels.map(({ env, match }) => [env, match.verdict]))
  const left = duels.filter(({ hope }) => hope.isGone).map(({ env }) => env)
  return { envs, outcome: winnerOf(verdicts, PROTOCOL.margin), left }
}

/** One environment of a duel: what was played in it, and its match so far. */
class EnvDuel {
  readonly env: string
  match: Match = NO_MATCH
  readonly hope: Hope = new Hope()
  readonly #run: DuelRun
  /** By the challenge's index: what has come in, and what the journal had. */
  readonly #played = new Map<number, ChallengePair>()
  #next = 0

  constructor(env: string, run: DuelRun) {
    this.env = env
    this.#run = run
    const kept = run.journal.entries.slice(1) as unknown as readonly ChallengePair[]
    for (const played of kept.filter((each) => each.env === env)) this.add(played)
  }

  /** The next challenge that was not played yet; undefined after the verdict. */
  next(): (() => Promise<ChallengePair>) | undefined {
    while (this.#played.has(this.#next)) this.#next += 1
    if (this.match.verdict !== 'continue' || this.#next >= PROTOCOL.cap) return undefined
    const index = this.#next
    this.#next += 1
    return () => this.#play(index)
  }

  /** Adds to the match what has come in, in the order of the index, up to the first gap. */
  add(pair: ChallengePair): void {
    this.#played.set(pair.index, pair)
    const rule = { ratioPpm: this.#run.duel.ratioPpm, rule: PROTOCOL }
    while (this.match.verdict === 'continue') {
      const next = this.#played.get(this.match.played)
      if (next === undefined) return
      const { champion, contender } = next
      const rewards = { champion: champion.reward, contender: contender.reward }
      this.match = addChallenge(this.match, challengeVerdict(rewards), rule)
      this.hope.add(() =>
        SIDES.some((side) => countLegalReplies(next[side], forfeitOf(next, side)) > 0),
      )
      const isOver = this.match.played === PROTOCOL.cap || this.hope.isGone
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

/** The exact ids of the environments named; of all, if none are. */
export function environmentsNamed(
  names: readonly string[] = [...registry.keys()],
): readonly string[] {
  return [...new Set(names.map((name) => make(name).spec.id))]
}

const NONE = '0'.repeat(64)

/**
 * The id of a challenge that belongs to no subnet: it follows from the secret and the index.
 * Protocol §10.
 */
export function soloChallenge(env: string, secret: Hash, index: number): string {
  const nobody = { genesis: NONE, netuid: 0, validator: '', epoch: 0, beacon: NONE }
  return challengeId({ ...nobody, env, specHash: specHash(env), secret, index })
}

/** So many challenges of each environment, which belong to no subnet. */
export const exercisesOf = (
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

/** A challenge to practise on; of a past one, what the champion earned in it. */
export type Exercise = {
  readonly env: string
  readonly challengeId: string
  readonly champion?: number
}

/** An exercise as it was played, with the most that can be earned: in a game, by winning it. */
export type Played = Exercise & Transcript & { readonly best: number }

interface PracticeRun extends SoloRun {
  readonly exercises: readonly Exercise[]
  readonly player: Pick<Opponent, 'agent'>
  /** Of the scripted opponent in games: 1 if it is left out. Protocol §3.6. */
  readonly strength?: number
  readonly on: (played: readonly Played[]) => void
}

/**
 * Plays the exercises that the journal does not hold yet, and resolves with all that were played,
 * in their order: an environment is left after 20 without a legal answer. Rejects when `signal`
 * aborts; what is in the journal then is not played again.
 */
export async function practise(run: PracticeRun): Promise<readonly Played[]> {
  const { exercises, journal, on } = run
  const kept = journal.entries.slice(1) as unknown as readonly Played[]
  const played = new Map(kept.map((each) => [each.challengeId, each]))
  const hopes = new Map(exercises.map(({ env }) => [env, new Hope()]))
  const note = (one: Played): void => {
    const strength = make(one.env).spec.game && run.strength
    const forfeit = () => forfeitIn({ ...one, strength }, one)
    hopes.get(one.env)?.add(() => countLegalReplies(one, forfeit()) > 0)
  }
  kept.forEach(note)
  const open = exercises.filter(({ challengeId }) => !played.has(challengeId)).reverse()
  const next = (): (() => Promise<Played>) | undefined => {
    let exercise = open.pop()
    while (exercise && hopes.get(exercise.env)?.isGone) exercise = open.pop()
    const chosen = exercise
    return chosen && (() => playExercise(chosen, run))
  }
  const add = (one: Played): void => {
    played.set(one.challengeId, one)
    note(one)
    on([...played.values()])
  }
  await playAll(run, next, add)
  return exercises.flatMap(({ challengeId }) => played.get(challengeId) ?? [])
}

/** A game is played against the scripted opponent. */
async function playExercise(
  exercise: Exercise,
  { player, strength, time, signal }: Pick<PracticeRun, 'player' | 'strength' | 'time' | 'signal'>,
): Promise<Played> {
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

/** What a perfect player earns in a challenge for one. */
async function findBestReward({ env, challengeId }: Exercise): Promise<number> {
  const { spec } = make(env)
  const { reward } = await play({ spec }, challengeId, (messages) => ({
    content: spec.solve(messages.at(-1)?.content ?? ''),
  }))
  return reward
}

/** What is played with a miner, of each environment; how much of it at once, and until when. */
const [TRIAL_CHALLENGES, TRIAL_AHEAD, TRIAL_MS] = [8, 8, 900_000]

/** How a miner is tried: its challenges follow from the secret, 64 hex digits. */
interface TrialOptions extends Pick<SoloRun, 'time' | 'signal'> {
  readonly envs: readonly string[]
  readonly secret: Hash
}

/**
 * Plays eight challenges of each environment with a miner, eight at once, asked as validators ask
 * it, and judges its replies. What has none after a quarter of an hour has none. Rejects when
 * `signal` aborts.
 */
export async function tryMiner(
  client: Client,
  { envs, secret, ...playing }: TrialOptions,
): Promise<readonly (ReplyCounts & { readonly env: string })[]> {
  const until = addTimeout(TRIAL_MS, playing.signal)
  const player = { agent: (replyMs: number) => client(replyMs, until) }
  const exercises = exercisesOf(envs, secret, TRIAL_CHALLENGES)
  const journal = { entries: [], append: async () => {} }
  const run = { exercises, journal, player, ahead: TRIAL_AHEAD, on: () => {} }
  const played = await practise({ ...playing, ...run })
  return envs.map((env) => ({ env, ...judgeReplies(played.filter((each) => each.env === env)) }))
}
