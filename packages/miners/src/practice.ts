import { make, play, type Transcript } from '@affine/envs'
import { type GameTime, withClock } from './game-clock.ts'
import { type Notes, playOn } from './notes.ts'
import type { Opponent } from './player.ts'

/** A challenge to practise on; of a past one, what the champion earned in it. */
export type Exercise = {
  readonly env: string
  readonly challengeId: string
  readonly champion?: number
}

/** An exercise as it was played, with the most that can be earned: in a game, by winning it. */
export type Played = Exercise & Transcript & { readonly best: number }

interface PracticeRun {
  readonly exercises: readonly Exercise[]
  /** Begins with what is practised; what was played follows. */
  readonly journal: Notes
  readonly player: Pick<Opponent, 'agent'>
  /** Of the scripted opponent in games: 1 if it is left out. Protocol §3.6. */
  readonly strength?: number
  /** Challenges under way at once. */
  readonly ahead: number
  readonly signal: AbortSignal
  /** By what the clocks of games run. */
  readonly time: GameTime
  readonly on: (played: readonly Played[]) => void
}

/**
 * Plays the exercises that the journal does not hold yet, and resolves with all of them, in their
 * order. Rejects when `signal` aborts; what is in the journal then is not played again.
 */
export async function practise(run: PracticeRun): Promise<readonly Played[]> {
  const { exercises, journal, on } = run
  const kept = journal.entries.slice(1) as unknown as readonly Played[]
  const played = new Map(kept.map((each) => [each.challengeId, each]))
  const open = exercises.filter(({ challengeId }) => !played.has(challengeId)).values()
  const next = (): (() => Promise<Played>) | undefined => {
    const { value: exercise } = open.next()
    return exercise && (() => playExercise(exercise, run))
  }
  const add = (one: Played): void => {
    played.set(one.challengeId, one)
    on([...played.values()])
  }
  await playOn({ ...run, next, add })
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
    return { ...exercise, ...transcript, best: await bestOf(exercise) }
  }
  const clocked = withClock(agent, { ...time, ms: spec.game.clockMs, signal })
  const game = make(env, { strength })
  const transcript = await play(game, challengeId, (messages) => clocked(messages.slice(-1)))
  return { ...exercise, ...transcript, best: spec.highestReward }
}

/** What a perfect player earns in a challenge for one. */
async function bestOf({ env, challengeId }: Exercise): Promise<number> {
  const { spec } = make(env)
  const { reward } = await play({ spec }, challengeId, (messages) => ({
    content: spec.solve(messages.at(-1)?.content ?? ''),
  }))
  return reward
}
