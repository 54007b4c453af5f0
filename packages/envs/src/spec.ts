import { digest, type Generator, type Hash, type Json, pcg64 } from '@affine/prng'
import { encodeId, seedOfChecked } from './challenge.ts'
import type { Definition, EnvSpec } from './env.ts'
import { type Answer, record, type Transcript } from './replay.ts'

/**
 * Ways to spoil an answer; a strict reader refuses them, except where lower case makes no
 * difference.
 */
function spoil(good: string): string[] {
  const framed = ['', '#\n', '# ', ' #', '#.', '**#**', '0#'].map((frame) =>
    frame.replace('#', () => good),
  )
  const wide = good.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
  return [...framed, good.slice(0, -1), good.toLowerCase(), wide]
}

/**
 * Checks the plain facts of a definition and freezes it. What it does is `checkEnv`'s to try.
 *
 * Its specHash, worked out at the first call, is its behaviour as one hash: `digest("spec", id,
 * episodes)`. Reformatting its code does not change it; changing what it prints, accepts or rewards
 * in any of 256 episodes does. A rule none of them meets is not seen.
 *
 * @throws RangeError when a name, version or number has the wrong form.
 */
export function defineEnv<State, Observation, Action>(
  definition: Definition<State, Observation, Action>,
): EnvSpec {
  const id = `${definition.name}@${definition.version}`
  if (!/^[a-z0-9]+(-[a-z0-9]+)*@(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}$/.test(id))
    throw new RangeError(
      `"name, version" expected lower-case words joined by hyphens and x.y.z, got ${id}`,
    )
  for (const field of ['difficulty', 'maxSteps', 'replyMs', 'lowestReward'] as const) {
    const least = field === 'maxSteps' || field === 'replyMs' ? 1 : Number.MIN_SAFE_INTEGER
    if (!Number.isSafeInteger(definition[field]) || definition[field] < least)
      throw new RangeError(`"${field}" expected an integer from ${least}, got ${definition[field]}`)
  }
  let hash: Hash | undefined
  const episodes = (): readonly Transcript[] =>
    Array.from({ length: 256 }, (_, index) => goldenEpisode(spec, index))
  const specHash = (): Hash => (hash ??= digest('spec', id, episodes() as unknown as Json))
  const spec: EnvSpec = Object.freeze({ ...definition, id, specHash })
  return spec
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
 */
export function goldenEpisode(spec: EnvSpec, index: number): Transcript {
  const random = pcg64(index)
  const course = record(spec, seedOfChecked(encodeId(digest('golden', spec.id, index))))
  let turn = course.next()
  while (!turn.done)
    turn = course.next(goldenAnswer(spec, turn.value.at(-1)?.content ?? '', random))
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
