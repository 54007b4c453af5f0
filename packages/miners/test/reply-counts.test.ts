import { make, play } from '@affine/envs'
import { describe, expect, it } from 'vitest'
import { judgeReplies, replyCountsText } from '../src/reply-counts.ts'
import { type Played, soloChallenge } from '../src/solo.ts'

const SECRET = 'a5'.repeat(32)

/** Challenges of an environment in which every reply is what `say` makes of the best one. */
async function played(
  env: string,
  say: (best: string, index: number) => string | null,
  challenges = 4,
): Promise<readonly Played[]> {
  const { spec } = make(env)
  const all = Array.from({ length: challenges }, async (_, index) => {
    const challengeId = soloChallenge(env, SECRET, index)
    const agent = (messages: readonly { readonly content: string }[]) => {
      const content = say(spec.solve(messages.at(-1)?.content ?? ''), index)
      return content === null ? ({ fault: 'no-reply' } as const) : { content }
    }
    const transcript = await play({ spec }, challengeId, agent)
    return { env, challengeId, ...transcript, best: spec.highestReward }
  })
  return Promise.all(all)
}

describe('replies that would be answers without what is beside them', () => {
  it.each([
    ['the words before it', 'right', (best: string) => `Answer: ${best}`],
    ['the words before it', 'right', (best: string) => `12 * 34=${best}`],
    ['the words before it', 'right', (best: string) => `The product is **${best}**.`],
    ['the words after it', 'right', (best: string) => `${best} is the product`],
    ['the lines below it', 'right', (best: string) => `${best}\n\nI hope this helps!`],
    ['the words before it', 'legal', () => 'Answer: 123456789012345'],
  ])('%s: it would be %s', async (extra, would, say) => {
    const counts = judgeReplies(await played('mult8@0.1.0', say))
    expect(replyCountsText(counts)).toEqual([
      '4 of 4 replies usable, 0 legal; 0 of 4 challenges right',
      `4 would be ${would} without ${extra}`,
    ])
  })

  it('are not made of what holds no answer, of an illegal one, or of nothing', async () => {
    const say = ['I do not know', 'Z9', '', null]
    const counts = judgeReplies(await played('tictactoe@0.1.0', (_, i) => say[i] ?? null))
    expect(replyCountsText(counts)).toEqual([
      '3 of 4 replies usable, 0 legal; 0 of 4 challenges right',
    ])
    // The first prompt of some has a mark at the centre.
    const taken = judgeReplies(await played('tictactoe@0.1.0', () => 'Play: B2', 40))
    expect(taken.near).toEqual([
      { without: 'before', right: expect.any(Number), legal: expect.any(Number) },
    ])
    const [{ right = 0, legal = 0 } = {}] = taken.near
    expect(right + legal).toBeLessThan(40)
  })

  it('in the middle of a game would go on with it', async () => {
    let turn = 0
    const say = (best: string) => (turn++ % 2 === 0 ? best : `my move: ${best}`)
    const counts = judgeReplies(await played('hex@0.1.0', say, 1))
    expect(counts).toMatchObject({ asked: 2, usable: 2, legal: 1, near: [{ without: 'before' }] })
  })
})

it('whoever replies as the scripted player is right', async () => {
  const counts = judgeReplies(await played('mult8@0.1.0', (best) => best))
  expect(counts).toEqual({ challenges: 4, asked: 4, usable: 4, legal: 4, right: 4, near: [] })
})
