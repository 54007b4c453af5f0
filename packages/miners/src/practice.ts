import { make, play, type Transcript } from '@affine/envs'
import { type Notes, playOn } from './notes.ts'
import type { Opponent } from './player.ts'

/** A challenge to practise on; of a past one, what the champion earned in it. */
export type Exercise = {
  readonly env: string
  readonly challengeId: string
  readonly champion?: number
}

/** An exercise as it was played, with what a perfect player earns. */
export type Played = Exercise & Transcript & { readonly best: number }

interface PracticeRun {
  readonly exercises: readonly Exercise[]
  /** Begins with what is practised; what was played follows. */
  readonly journal: Notes
  readonly player: Pick<Opponent, 'agent'>
  /** Challenges under way at once. */
  readonly ahead: number
  readonly signal: AbortSignal
  readonly on: (played: readonly Played[]) => void
}

/**
 * Plays the exercises that the journal does not hold yet, and resolves with all of them, in their
 * order. Rejects when `signal` aborts; what is in the journal then is not played again.
 */
export async function practise(run: PracticeRun): Promise<readonly Played[]> {
  const { exercises, journal, player, on } = run
  const kept = journal.entries.slice(1) as unknown as readonly Played[]
  const played = new Map(kept.map((each) => [each.challengeId, each]))
  const open = exercises.filter(({ challengeId }) => !played.has(challengeId)).values()
  const next = (): (() => Promise<Played>) | undefined => {
    const { value: exercise } = open.next()
    return exercise && (() => playExercise(exercise, player))
  }
  const add = (one: Played): void => {
    played.set(one.challengeId, one)
    on([...played.values()])
  }
  await playOn({ ...run, next, add })
  return exercises.flatMap(({ challengeId }) => played.get(challengeId) ?? [])
}

async function playExercise(exercise: Exercise, player: Pick<Opponent, 'agent'>): Promise<Played> {
  const { env, challengeId } = exercise
  const game = make(env)
  const transcript = await play(game, challengeId, player.agent(game.spec.replyMs))
  return { ...exercise, ...transcript, best: await bestOf(exercise) }
}

/** What a perfect player earns in a challenge. */
async function bestOf({ env, challengeId }: Exercise): Promise<number> {
  const { spec } = make(env)
  const { reward } = await play({ spec }, challengeId, (messages) => ({
    content: spec.solve(messages.at(-1)?.content ?? ''),
  }))
  return reward
}
