import { digest, type Generator, pcg64 } from '@affine/prng'
import { encodeId, seedOfChecked } from './challenge.ts'
import type { EnvSpec } from './env.ts'
import { type Answer, record, type Transcript } from './replay.ts'

/** From a digit to its full-width form. */
const FULL_WIDTH = 0xfee0

/**
 * Ways to spoil an answer; a strict reader refuses them, except where lower case makes no
 * difference.
 */
function spoil(good: string): readonly string[] {
  return [
    '',
    `${good}\n`,
    `${good} `,
    ` ${good}`,
    `${good}.`,
    `**${good}**`,
    `0${good}`,
    good.slice(0, -1),
    good.toLowerCase(),
    good.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + FULL_WIDTH)),
  ]
}

/** The episodes of which the specHash is made. Protocol §3.5. */
export function goldenEpisodes(spec: EnvSpec): readonly Transcript[] {
  return Array.from({ length: 256 }, (_, index) => goldenEpisode(spec, index))
}

/**
 * Episode `index` of the golden player: challenge `base58(digest("golden", id, index))`, as `{
 * messages: [{ role, content }, …], reward }`, with `fault` when there is one. The player has one
 * stream, `pcg64(index)`, for the whole episode. At every prompt, with `good` the perfect reply, it
 * draws `integers(0, 16)`:
 *
 * - 0–5: `good`
 * - 6–11: a sample of the action space, formatted: good, bad, illegal or malformed, as it comes
 * - 12: ESC `[1mSo` U+202E `:` ESC `]0;x` BEL CR LF `good`, what `normalise` has to clean
 * - 13: `good`, spoiled: `integers(0, 10)` picks from the list above
 * - 14: no reply
 * - 15: `x` repeated, LF, `good`: 4096 + `integers(0, 3)` bytes, so two of three are oversize
 *
 * Protocol §3.5.
 */
export function goldenEpisode(spec: EnvSpec, index: number): Transcript {
  const random = pcg64(index)
  const course = record(spec, seedOfChecked(encodeId(digest('golden', spec.id, index))))
  let turn = course.next()
  while (!turn.done) {
    const prompt = turn.value.at(-1)?.content ?? ''
    turn = course.next(goldenAnswer(spec, prompt, random))
  }
  return turn.value
}

function goldenAnswer(spec: EnvSpec, prompt: string, random: Generator): Answer {
  const good = spec.solve(prompt)
  const kind = random.integers(0, 16)
  if (kind < 6) return { content: good }
  if (kind < 12) return { content: spec.format(spec.actionSpace.sample(random)) }
  if (kind === 12) return { content: `\u001b[1mSo\u202e:\u001b]0;x\u0007\r\n${good}` }
  if (kind === 13) return { content: spoil(good)[random.integers(0, 10)] ?? '' }
  if (kind === 14) return { fault: 'no-reply' }
  // The protocol's limit, not text.ts's constant: were that one altered, hashes must change.
  return { content: `${'x'.repeat(4095 - good.length + random.integers(0, 3))}\n${good}` }
}
