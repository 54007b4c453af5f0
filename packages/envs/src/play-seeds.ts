import type { Env } from './env.ts'
import { type Agent, playFrom, type Transcript } from './replay.ts'

/** Which episodes to play, and how many at once: 16 if that is left out. */
export type SeedsToPlay = {
  readonly seeds: Iterable<number | bigint>
  readonly atOnce?: number
}

/**
 * Plays an episode from each seed, as `play` does from a challenge's. Gives their transcripts in
 * the order of the seeds. Rejects with what the agent rejects with first, and then starts no more.
 *
 * @throws RangeError unless `atOnce` is an integer from 1; TypeError or RangeError for what is no
 * seed.
 */
export async function playSeeds(
  env: Pick<Env, 'spec'>,
  { seeds, atOnce = 16 }: SeedsToPlay,
  agent: Agent,
): Promise<readonly Transcript[]> {
  if (!Number.isSafeInteger(atOnce) || atOnce < 1)
    throw new RangeError(`"atOnce" expected an integer from 1, got ${atOnce}`)
  const list = [...seeds]
  const waiting = eachOnce(list)
  const transcripts: Transcript[] = []
  const playOn = async (): Promise<void> => {
    for (const [index, seed] of waiting) transcripts[index] = await playFrom(env, seed, agent)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, playOn))
  return transcripts
}

/** For loops that share it. One that is left by an error ends it for the others too. */
function* eachOnce<T>(list: readonly T[]): Generator<[number, T]> {
  yield* list.entries()
}
