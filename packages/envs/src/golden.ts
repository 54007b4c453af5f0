import { digest, type Generator, pcg64 } from '@affine/prng'
import { encodeId } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { type Answer, type PerSide, record, type Transcript } from './episode.ts'

/** From a digit to its full-width form. */
const FULL_WIDTH = 0xfee0

/** Forms of a reply with an answer, of which half are read. */
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

/** What an episode of the golden player is: a game of two has two transcripts. */
type GoldenEpisode = Transcript | PerSide<Transcript>

/** The one transcript, or both. */
export const listTranscripts = (played: GoldenEpisode): readonly Transcript[] =>
  'reward' in played ? [played] : [played.champion, played.contender]

/** The episodes of which the specHash is made. Protocol §3.5. */
export function goldenEpisodes(spec: EnvSpec): readonly GoldenEpisode[] {
  return Array.from({ length: 256 }, (_, index) => goldenEpisode(spec, index))
}

/**
 * Episode `index` of the golden player: challenge `base58(digest("golden", id, index))`, as `{
 * messages: [{ role, content }, …], reward }`, with `fault` when there is one; a game has one such
 * for each side. The player has one stream, `pcg64(index)`, for the whole episode, and plays both
 * sides of a game. At every prompt, with `good` the perfect reply, it draws `integers(0, 16)`, in a
 * game `integers(0, 256)`, so that games last:
 *
 * - 0–5: a guess: good, bad, illegal or malformed, as it comes
 * - 6: ESC `[1mSo` U+202E `:` ESC `]0;x` BEL CR LF `good`, what `normalise` has to clean
 * - 7: `good`, in the form that `integers(0, 10)` picks from the list above
 * - 8: no reply
 * - 9 and above: `good`
 *
 * Protocol §3.5.
 */
export function goldenEpisode(spec: EnvSpec, index: number): GoldenEpisode {
  const random = pcg64(index)
  const challengeId = encodeId(digest('golden', spec.id, index))
  const isGame = spec.game !== undefined
  const dialogue = record(spec, challengeId, isGame ? 2 : 1)
  let asked = dialogue.next()
  while (!asked.done) {
    const prompt = asked.value.messages.at(-1)?.content ?? ''
    const kind = random.integers(0, isGame ? 256 : 16)
    asked = dialogue.next(goldenAnswer(spec, prompt, kind, random))
  }
  return isGame ? asked.value : asked.value.champion
}

/** The answer to a prompt, by the kind that was drawn for it. */
function goldenAnswer(spec: EnvSpec, prompt: string, kind: number, random: Generator): Answer {
  const good = spec.solve(prompt)
  if (kind < 6) return { content: spec.guess(prompt, random) }
  if (kind === 6) return { content: `\u001b[1mSo\u202e:\u001b]0;x\u0007\r\n${good}` }
  if (kind === 7) return { content: formatVariants(good)[random.integers(0, 10)] ?? '' }
  if (kind === 8) return { fault: 'no-reply' }
  return { content: good }
}
