import { type EnvSpec, registry } from '@affine/envs'
import { canonicalize, pcg64 } from '@affine/prng'
import { expect, it } from 'vitest'
import { LIMITS } from '../src/index.ts'

const HOTKEY = `5${'G'.repeat(47)}`
const ID = 'z'.repeat(44)
const MOST = Number.MAX_SAFE_INTEGER
const FRAME = { ms: MOST, invocation: '"'.repeat(LIMITS.invocationBytes), role: 'assistant' }

const LONGEST = 'x'.repeat(640)

/**
 * Returns the longest prompt of 300 challenges. All boards of one size have prompts of one length.
 */
function longestPrompt(spec: EnvSpec): string {
  let longest = ''
  for (let seed = 0; seed < 300; seed++) {
    const state = (spec.game ?? spec).initial(pcg64(seed))
    const prompt = spec.prompt(spec.observe(state))
    if (prompt.length > longest.length) longest = prompt
  }
  return longest
}

/** Returns an episode of `replies` replies. The first `long` have the maximum recorded length. */
function episodeOf(spec: EnvSpec, replies: number, long: number) {
  const prompt = { role: 'user', content: longestPrompt(spec) }
  const messages = Array.from({ length: replies }, (_, at) => [
    prompt,
    { ...FRAME, content: at < long ? LONGEST : 'K11' },
  ])
  return { miner: HOTKEY, messages: messages.flat(), reward: -MOST, ms: MOST, fault: 'no-reply' }
}

/**
 * Returns the longest sample: a game continues only after legal moves, which are short; a single
 * player's replies may all be long.
 */
function longestSample(spec: EnvSpec): string {
  const { id, maxSteps, game } = spec
  const half = Math.ceil(maxSteps / 2)
  const place = { env: id, index: MOST, challengeId: ID }
  if (game === undefined)
    return canonicalize({ ...place, ...episodeOf(spec, maxSteps, maxSteps) } as never)
  const [champion, contender] = [episodeOf(spec, half, 1), episodeOf(spec, maxSteps - half, 0)]
  return canonicalize({ ...place, champion, contender } as never)
}

it.each([...registry.values()])('the longest sample of $id fits into a line', (spec) => {
  expect(new TextEncoder().encode(longestSample(spec)).length).toBeLessThan(LIMITS.sampleBytes)
})
