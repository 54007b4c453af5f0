import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Agent, type Message, make, play, type Reply, registry, replay } from '../src/index.ts'
import { idOf } from './ids.ts'

const envs = [...registry.keys()]

describe.each(envs)('%s', (id) => {
  const env = make(id)
  const solver = (messages: readonly Message[]): Reply => ({
    content: env.spec.solve(messages.at(-1)?.content ?? ''),
  })
  test('replays to the played result, for any replies', async () => {
    const reply = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constant('good'),
      fc.constantFrom('A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3', '123456789012345'),
      fc.string({ minLength: 315, maxLength: 650, unit: fc.constantFrom('x', 'é', '"', '\n') }),
      fc.constant(null),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(reply, { minLength: 4, maxLength: 4 }),
        async (index, replies) => {
          let turn = 0
          const agent = async (
            messages: readonly Message[],
          ): Promise<Awaited<ReturnType<Agent>>> => {
            const content = replies[turn++] ?? null
            return content === null
              ? { fault: 'no-reply' }
              : content === 'good'
                ? solver(messages)
                : { content }
          }
          const { messages, reward, fault } = await play(env, idOf(id, index), agent)
          expect(replay(env, idOf(id, index), messages)).toMatchObject({
            ok: true,
            value: { reward, fault: fault !== undefined },
          })
          // After a fault the transcript ends with a prompt.
          expect(messages.at(-1)?.role).toBe(fault === undefined ? 'assistant' : 'user')
          if (fault !== undefined) expect(reward).toBe(env.spec.lowestReward)
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe('play', () => {
  const env = make('tictactoe@0.1.0')

  test("records the platform's fields of a reply, and hides them from the agent", async () => {
    const seen: unknown[] = []
    const { messages } = await play(env, idOf(env.spec.id, 0), (conversation) => {
      seen.push(conversation)
      return {
        content: env.spec.solve(conversation.at(-1)?.content ?? ''),
        invocation: `call ${seen.length}`,
        ms: 5,
      }
    })
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: expect.any(String),
      invocation: 'call 1',
      ms: 5,
    })
    expect(JSON.stringify(seen)).not.toMatch(/invocation|"ms"|call 1/)
    expect(JSON.stringify(seen)).not.toContain(idOf(env.spec.id, 0))
  })

  test("rejects with the agent's error and for an invalid challenge id", async () => {
    await expect(
      play(env, idOf(env.spec.id, 0), () => Promise.reject(new Error('down'))),
    ).rejects.toThrow('down')
    await expect(play(env, 'x', () => ({ content: 'A1' }))).rejects.toThrow(TypeError)
  })

  test('reads the end of a long reply, and shows it in later turns', async () => {
    const solve = (messages: readonly Message[]) => env.spec.solve(messages.at(-1)?.content ?? '')
    const thought = 'I weigh "A1" and "B2".\n'.repeat(500)
    let shown = 0
    for (let index = 0; index < 10; index++) {
      const id = idOf(env.spec.id, index)
      const short = await play(env, id, (prompts) => ({ content: solve(prompts) }))
      const { messages, ...rest } = await play(env, id, (prompts) => {
        const replies = repliesOf(prompts)
        for (const { content } of replies)
          expect(content).toMatch(/^\[1\d{4} bytes, [0-9a-f]{64}\]\nI weigh/)
        shown += replies.length
        return { content: `${thought}${solve(prompts)}` }
      })
      expect(rest).toEqual({ reward: short.reward })
      const value = { reward: short.reward, fault: false }
      expect(replay(env, id, messages)).toEqual({ ok: true, value })
      const whole = [...messages]
      whole[1] = { role: 'assistant', content: `${thought}A1` }
      expect(replay(env, id, whole)).toMatchObject({ code: 'NOT_NORMALISED', detail: 'message 1' })
    }
    expect(shown).toBeGreaterThan(0)
  })
})

function repliesOf(record: readonly Message[]): readonly Message[] {
  return record.filter(({ role }) => role === 'assistant')
}
