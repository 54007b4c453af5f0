import { type EnvSpec, registry } from '@affine/envs'
import { canonicalize, pcg64 } from '@affine/prng'
import { expect, it } from 'vitest'
import { LIMITS } from '../src/index.ts'

const HOTKEY = `5${'G'.repeat(47)}`
const ID = 'z'.repeat(44)
const MOST = Number.MAX_SAFE_INTEGER
const FRAME = { ms: MOST, invocation: '"'.repeat(LIMITS.invocationBytes), role: 'assistant' }

const LONGEST = 'x'.repeat(640)

/** The longest prompt met in 300 challenges: of games, all boards of one size have one length. */
function longestPrompt(spec: EnvSpec): string {
  let longest = ''
  for (let seed = 0; seed < 300; seed++) {
    const state = (spec.game ?? spec).initial(pcg64(seed))
    const prompt = spec.prompt(spec.observe(state))
    if (prompt.length > longest.length) longest = prompt
  }
  return longest
}

/** An episode of that many replies, of which that many are as long as is recorded. */
function episodeOf(spec: EnvSpec, replies: number, long: number) {
  const prompt = { role: 'user', content: longestPrompt(spec) }
  const messages = Array.from({ length: replies }, (_, at) => [
    prompt,
    { ...FRAME, content: at < long ? LONGEST : 'K11' },
  ])
  return { miner: HOTKEY, messages: messages.flat(), reward: -MOST, ms: MOST, fault: 'no-reply' }
}

/** A game goes on after legal moves alone, which are short; one player may say much each time. */
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
