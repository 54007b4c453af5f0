import { digest, type Generator, type Hash, type Json, pcg64 } from '@affine/prng'
import { encodeId } from './challenge.ts'
import type { EnvSpec } from './definition.ts'
import { type NoReply, type Reply, record, type Transcript } from './replay.ts'

const EPISODES = 256
// The protocol's limit, not text.ts's constant: were that one altered, hashes must change.
const MAX_REPLY_BYTES = 4096

/** Ways to spoil an answer; a strict reader refuses them, except where lower case makes no difference. */
const SPOILED: readonly ((good: string) => string)[] = [
  () => '',
  (good) => `${good}\n`,
  (good) => `${good} `,
  (good) => ` ${good}`,
  (good) => `${good}.`,
  (good) => `**${good}**`,
  (good) => `0${good}`,
  (good) => good.slice(0, -1),
  (good) => good.toLowerCase(),
  (good) => good.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
]

const memo = /* @__PURE__ */ new WeakMap<EnvSpec, Hash>()

/**
 * The behaviour of an environment as one hash: `digest("spec", id, episodes)`. Reformatting its code does not change
 * it; changing what it prints, accepts or rewards in any of 256 episodes does. A rule none of them meets is not seen.
 *
 * Episode i is challenge `base58(digest("golden", id, i))` played by the golden player, as
 * `{ messages: [{ role, content }, …], reward }`, with `fault` when there is one. The player has one stream, `pcg64(i)`,
 * for the whole episode. At every prompt, with `good` the perfect reply, it draws `integers(0, 16)`:
 *
 * - 0–5: `good`
 * - 6–11: a sample of the action space, formatted: good, bad, illegal or malformed, as it comes
 * - 12: ESC `[1mSo` U+202E `:` ESC `]0;x` BEL CR LF `good`, what `normalise` has to clean
 * - 13: `good`, spoiled: `integers(0, 10)` picks from the list above
 * - 14: no reply
 * - 15: `x` repeated, LF, `good`: 4096 + `integers(0, 3)` bytes, so two of three are oversize
 */
export function specHashOf(spec: EnvSpec): Hash {
  const known = memo.get(spec)
  if (known !== undefined) return known
  const episodes = Array.from({ length: EPISODES }, (_, index) => goldenEpisode(spec, index))
  const hash = digest('spec', spec.id, episodes as unknown as Json)
  memo.set(spec, hash)
  return hash
}

/** Episode `index` of the golden player. */
export function goldenEpisode(spec: EnvSpec, index: number): Transcript {
  const random = pcg64(index)
  const course = record(spec, encodeId(digest('golden', spec.id, index)))
  let turn = course.next()
  while (!turn.done) turn = course.next(goldenReply(spec, turn.value.at(-1)?.content ?? '', random))
  return turn.value
}

function goldenReply(spec: EnvSpec, prompt: string, random: Generator): Reply | NoReply {
  const good = spec.solve(prompt)
  const kind = random.integers(0, 16)
  if (kind < 6) return { content: good }
  if (kind < 12) return { content: spec.format(spec.actionSpace.sample(random)) }
  if (kind === 12) return { content: `\u001b[1mSo\u202e:\u001b]0;x\u0007\r\n${good}` }
  if (kind === 13) return { content: SPOILED[random.integers(0, SPOILED.length)]?.(good) ?? '' }
  if (kind === 14) return { fault: 'no-reply' }
  return { content: `${'x'.repeat(MAX_REPLY_BYTES - 1 - good.length + random.integers(0, 3))}\n${good}` }
}
