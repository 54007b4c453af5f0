import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Env,
  listReplies,
  type Message,
  make,
  play,
  type Reply,
  registry,
  replay,
} from '../src/index.ts'

/** Returns the reply of an environment's scripted player. */
const solve = ({ spec }: Env, messages: readonly Message[]): Reply => ({
  content: spec.solve(messages.at(-1)?.content ?? ''),
})

test.each([...registry.keys()])('replays %s to the played result, for any replies', async (id) => {
  const env = make(id)
  const reply = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant('good'),
    fc.constantFrom('A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3', '123456789012345'),
    fc.string({ minLength: 315, maxLength: 650, unit: fc.constantFrom('x', 'é', '"', '\n') }),
    fc.constant(null),
  )
  const fourReplies = fc.array(reply, { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.nat(), fourReplies, async (seed, replies) => {
      const left = replies.values()
      const { messages, reward, fault } = await play(env, seed, (prompts) => {
        const content = left.next().value ?? null
        if (content === null) return { fault: 'no-reply' }
        return content === 'good' ? solve(env, prompts) : { content }
      })
      expect(replay(env, seed, messages)).toMatchObject({
        ok: true,
        value: { reward, fault: fault !== undefined },
      })
      // After a fault the transcript ends with a prompt.
      expect(messages.at(-1)?.role).toBe(fault === undefined ? 'assistant' : 'user')
      if (fault !== undefined) expect(reward).toBe(env.spec.lowestReward)
    }),
    { numRuns: 500 },
  )
})

describe('play', () => {
  const env = make('tictactoe@0.1.0')
  const challenge = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'

  test("records the platform's fields of a reply, and hides them from the agent", async () => {
    const seen: unknown[] = []
    const { messages } = await play(env, challenge, (conversation) => {
      seen.push(conversation)
      return { ...solve(env, conversation), invocation: `call ${seen.length}`, ms: 5 }
    })
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: expect.any(String),
      invocation: 'call 1',
      ms: 5,
    })
    expect(JSON.stringify(seen)).not.toMatch(/invocation|"ms"|call 1/)
    expect(JSON.stringify(seen)).not.toContain(challenge)
  })

  test("rejects with the agent's error and for an invalid challenge id", async () => {
    const down = () => Promise.reject(new Error('down'))
    await expect(play(env, 0, down)).rejects.toThrow('down')
    await expect(play(env, 'x', () => ({ content: 'A1' }))).rejects.toThrow(TypeError)
  })

  test('reads the end of a long reply, and shows it in later turns', async () => {
    const thought = 'I weigh "A1" and "B2".\n'.repeat(500)
    let shown = 0
    for (let seed = 0; seed < 10; seed++) {
      const short = await play(env, seed, (prompts) => solve(env, prompts))
      const { messages, ...rest } = await play(env, seed, (prompts) => {
        const replies = listReplies(prompts)
        for (const content of replies)
          expect(content).toMatch(/^\[1\d{4} bytes, [0-9a-f]{64}\]\nI weigh/)
        shown += replies.length
        return { content: `${thought}${solve(env, prompts).content}` }
      })
      expect(rest).toEqual({ reward: short.reward })
      const value = { reward: short.reward, fault: false }
      expect(replay(env, seed, messages)).toEqual({ ok: true, value })
      const whole = [...messages]
      whole[1] = { role: 'assistant', content: `${thought}A1` }
      expect(replay(env, seed, whole)).toMatchObject({
        code: 'NOT_NORMALISED',
        detail: 'message 1',
      })
    }
    expect(shown).toBeGreaterThan(0)
  })
})
