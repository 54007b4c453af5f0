import { digest, type Generator, pcg64 } from '@affine/prng'
import { encodeId } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { type Answer, type PerSide, record, type Transcript } from './episode.ts'

/** Code point distance from a digit to its full-width form. */
const FULL_WIDTH = 0xfee0

/** Returns variants of a correct reply. `parse` reads about half of them. */
function formatVariants(good: string): readonly string[] {
  return [
    '',
    ` ${good} . `,
    `**${good}**.`,
    `0${good}`,
    `${good}\n \n`,
    `\\(\\boxed{\\text{${good}}}\\)`,
    `Answer: ${good}`,
    good.slice(0, -1),
    good.toLowerCase(),
    good.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + FULL_WIDTH)),
  ]
}

/** A game of two players has two transcripts. */
type GoldenEpisode = Transcript | PerSide<Transcript>

export const listTranscripts = (played: GoldenEpisode): readonly Transcript[] =>
  'reward' in played ? [played] : [played.champion, played.contender]

/** Returns the episodes that determine the specHash. Protocol §3.5. */
export function goldenEpisodes(spec: EnvSpec): readonly GoldenEpisode[] {
  return Array.from({ length: 256 }, (_, index) => goldenEpisode(spec, index))
}

/**
 * Plays episode `index` of the golden player, of challenge `base58(digest("golden", id, index))`.
 * Returns `{ messages: [{ role, content }, …], reward }`, with `fault` if the last reply is
 * missing; for a game, a transcript of this form for each side. The player plays both sides of a
 * game, and makes all its draws from the stream `pcg64(index)`. Its draw at each prompt selects the
 * reply by the table of Protocol §3.5. In a game most draws select the reply of `solve`, so that
 * games are long.
 */
export function goldenEpisode(spec: EnvSpec, index: number): GoldenEpisode {
  const random = pcg64(index)
  const challengeId = encodeId(digest('golden', spec.id, index))
  const isGame = spec.game !== undefined
  const dialogue = record(spec, challengeId, isGame ? 2 : 1)
  let question = dialogue.next()
  while (!question.done) {
    const prompt = question.value.messages.at(-1)?.content ?? ''
    const kind = random.integers(0, isGame ? 256 : 16)
    question = dialogue.next(goldenAnswer(spec, prompt, kind, random))
  }
  return isGame ? question.value : question.value.champion
}

function goldenAnswer(spec: EnvSpec, prompt: string, kind: number, random: Generator): Answer {
  if (kind < 6) return { content: spec.guess(prompt, random) }
  if (kind === 8) return { fault: 'no-reply' }
  const good = spec.solve(prompt)
  if (kind === 6) return { content: `\u001b[1mSo\u202e:\u001b]0;x\u0007\r\n${good}` }
  if (kind === 7) return { content: formatVariants(good)[random.integers(0, 10)] ?? '' }
  return { content: good }
}
