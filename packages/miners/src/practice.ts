import { make, play, type Transcript } from '@affine/envs'
import { canonicalize, type Json } from '@affine/prng'
import pLimit from 'p-limit'
import type { Opponent } from './player.ts'

/** A challenge to practise on; of a past one, what the champion earned in it. */
export type Exercise = {
  readonly env: string
  readonly challengeId: string
  readonly champion?: number
}

/**
 * What is practised, and by whom: kept before what was played, so that it can be taken up again.
 */
export type Practice = {
  readonly player: string
  readonly model: string
  /** The challenges of each environment, at most. */
  readonly challenges: number
  readonly envs: readonly string[]
  /** Against whom: the digest of what a champion committed to. */
  readonly against?: string
}

/** An exercise as it was played, with what a perfect player earns. */
export type Played = Exercise & Transcript & { readonly best: number }

/** What was played, on disk or wherever it is kept. */
export interface Notes {
  /** What was there when it was opened, in the order of its writing. */
  readonly entries: readonly Json[]
  /** Resolves when the entry is kept. */
  append(entry: Json): Promise<void>
}

export interface PracticeRun {
  readonly exercises: readonly Exercise[]
  readonly journal: Notes
  readonly player: Pick<Opponent, 'agent'>
  /** Challenges under way at once. */
  readonly ahead: number
  readonly signal: AbortSignal
  readonly on: (played: readonly Played[]) => void
}

/** What a journal keeps first: what was asked for, and the exercises that came of it. */
type Kept = { readonly practice: Practice; readonly exercises: readonly Exercise[] }

/**
 * The exercises of a practice: those that the journal keeps, else those drawn now, which are
 * kept from then on.
 * @throws RangeError when the journal is another practice's.
 */
export async function exercisesOf(
  practice: Practice,
  journal: PracticeRun['journal'],
  drawn: readonly Exercise[],
): Promise<readonly Exercise[]> {
  const kept = journal.entries[0] as Kept | undefined
  if (kept === undefined) {
    await journal.append({ practice, exercises: drawn } as unknown as Json)
    return drawn
  }
  if (canonicalize(kept.practice ?? '') === canonicalize(practice)) return kept.exercises
  const advice = 'name another file, or repeat its arguments'
  throw new RangeError(`"--resume" expected a file of this practice: ${advice}`)
}

/**
 * Plays the exercises that the journal does not hold yet, and resolves with all of them, in their
 * order. Rejects when `signal` aborts; what is in the journal then is not played again.
 */
export async function practise(run: PracticeRun): Promise<readonly Played[]> {
  const { exercises, journal, player, ahead, signal, on } = run
  const kept = journal.entries.slice(1) as unknown as readonly Played[]
  const played = new Map(kept.map((each) => [each.challengeId, each]))
  const playOne = async (exercise: Exercise): Promise<void> => {
    const { env, challengeId } = exercise
    const game = make(env)
    const transcript = await play(game, challengeId, player.agent(game.spec.replyMs))
    signal.throwIfAborted() // a call that was broken off reads as no reply: it is not one
    const one = { ...exercise, ...transcript, best: await bestOf(exercise) }
    await journal.append(one as unknown as Json)
    played.set(challengeId, one)
    on([...played.values()])
  }
  const limit = pLimit(ahead)
  const open = exercises.filter(({ challengeId }) => !played.has(challengeId))
  await Promise.all(open.map((exercise) => limit(playOne, exercise)))
  return exercises.flatMap(({ challengeId }) => played.get(challengeId) ?? [])
}

/** What a perfect player earns in a challenge. */
async function bestOf({ env, challengeId }: Exercise): Promise<number> {
  const { spec } = make(env)
  const { reward } = await play({ spec }, challengeId, (messages) => ({
    content: spec.solve(messages.at(-1)?.content ?? ''),
  }))
  return reward
}
