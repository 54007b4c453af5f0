import { digest, type Json, pcg64 } from '@affine/prng'
import { describe, expect, test } from 'vitest'
import ids from '../../../vectors/envs/challenge-ids.json' with { type: 'json' }
import infos from '../../../vectors/envs/infos.json' with { type: 'json' }
import initial from '../../../vectors/envs/initial-states.json' with { type: 'json' }
import normalised from '../../../vectors/envs/normalise.json' with { type: 'json' }
import recorded from '../../../vectors/envs/recorded.json' with { type: 'json' }
import replays from '../../../vectors/envs/replays.json' with { type: 'json' }
import replies from '../../../vectors/envs/replies.json' with { type: 'json' }
import hashes from '../../../vectors/envs/spec-hashes.json' with { type: 'json' }
import strengths from '../../../vectors/envs/strengths.json' with { type: 'json' }
import { goldenEpisode } from '../src/golden.ts'
import {
  challengeId,
  deriveSeed,
  type EnvSpec,
  extractAnswer,
  isChallengeId,
  type Message,
  make,
  normalise,
  recordReply,
  replay,
  specHash,
} from '../src/index.ts'

/** The environments of the vector `large`, in its order. */
const FIRST = ['tictactoe@0.1.0', 'mult8@0.1.0']

const specOf = (id: string): EnvSpec => make(id).spec

describe('challenge ids', () => {
  test.each(ids.vectors)('have the recorded value and seed: $what', ({ input, want }) => {
    if (input !== null) expect(challengeId(input)).toBe(want.id)
    expect(isChallengeId(want.id)).toBe(true)
    expect(String(deriveSeed(want.id))).toBe(want.seed)
  })

  test.each(ids.refused)('exclude: $what', ({ input }) => {
    expect(isChallengeId(input)).toBe(false)
    expect(() => deriveSeed(input)).toThrow(TypeError)
  })
})

test.each(normalised.vectors)('normalises text: $what', ({ input, want }) => {
  // Inputs are JSON in a string, because some readers of the file reject lone surrogates.
  expect(normalise(JSON.parse(input))).toBe(want)
  expect(normalise(want)).toBe(want)
})

test.each(recorded.vectors)('records a reply: $what', ({ input, want }) => {
  const parts = input.map(([text, times]) => JSON.parse(String(text)).repeat(Number(times)))
  expect(recordReply(parts.join(''))).toBe(want)
  expect(recordReply(want)).toBe(want)
})

test.each(initial.vectors)(
  'draws the challenge of $what from seed $input as NumPy does',
  ({ what, input, want }) => {
    const env = make(what)
    const [observation, info] = env.reset({ seed: BigInt(input) })
    expect(observation).toEqual(want.observation)
    expect(env.prompt(observation)).toBe(want.prompt)
    expect(info.difficulty).toBe(want.difficulty)
    const truth = env.spec.truth(env.spec.initial(pcg64(BigInt(input))))
    expect(digest('truth', truth)).toBe(want.truth)
  },
)

test.each(infos.vectors)('returns the info: $what', ({ input, want }) => {
  const { env: id, challengeId, seed, resetsAfter } = input
  const env = make(id)
  let [, info] = env.reset(challengeId ? { options: { challengeId } } : { seed: BigInt(seed ?? 0) })
  for (let i = 0; i < resetsAfter; i++) info = env.reset()[1]
  expect({ ...info }).toEqual(want)
  expect(env.step(null)[4]).toEqual(want)
})

test.each(replies.vectors)('$what reads $input', ({ what, input, want }) => {
  const action = make(what).parse(recordReply(input)) ?? 'refused'
  expect(action).toEqual(want)
})

test.each(replies.answers)('the answer of $input is $want', ({ input, want }) => {
  expect(extractAnswer(recordReply(input))).toBe(want)
  expect(extractAnswer(want)).toBe(want)
})

test.each(replays.vectors)('replays $what', ({ input, want }) => {
  const call = () =>
    replay(make(input.env), input.challengeId, input.messages as unknown as Message[])
  if (want === 'BAD_CHALLENGE_ID') return expect(call).toThrow(TypeError)
  const result = call()
  if (typeof want === 'string') expect(result).toMatchObject({ ok: false, code: want })
  else expect(result).toMatchObject({ ok: true, value: want })
})

describe('a scripted opponent', () => {
  test.each(strengths.vectors)('plays the recorded game: $what', ({ input, want }) => {
    const { env: id, challengeId, strength, replies } = input
    const env = make(id, { strength })
    env.reset({ options: { challengeId } })
    const steps = replies.map((reply) => env.step(env.parse(reply)))
    const total = steps.reduce((sum, [, reward]) => sum + reward, 0)
    const [observation, , terminated, truncated] = steps.at(-1) ?? []
    expect([observation, total]).toEqual([want.observation, want.reward])
    expect(terminated || truncated).toBe(true)
  })

  test.each(strengths.refused)('is refused: $what', ({ input: { env, strength } }) => {
    expect(() => make(env, { strength })).toThrow('expected')
  })
})

test.each(hashes.vectors)('specHash has the recorded value for $input', ({ input, want }) => {
  expect(specHash(input)).toBe(want)
})

test.each(hashes.episodes)(
  'plays golden episode $input of $what as recorded',
  ({ what, input, want }) => {
    expect(goldenEpisode(specOf(what), input)).toEqual(want)
  },
)

// A digest of a megabyte of prompts and replies, which is the same in Python and in every engine.
test.each(hashes.large)('plays $what with the recorded digest', ({ want }) => {
  const episodes = FIRST.flatMap((id) =>
    Array.from({ length: 500 }, (_, index) => goldenEpisode(specOf(id), index)),
  )
  expect(digest('test', episodes as unknown as Json)).toBe(want)
})
