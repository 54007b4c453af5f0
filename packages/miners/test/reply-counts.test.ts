import { make, play } from '@affine/envs'
import { expect, it } from 'vitest'
import { formatReplyCounts, judgeReplies } from '../src/reply-counts.ts'
import { soloChallenge } from '../src/solo.ts'

it('counts the replies that are usable and legal, and the challenges that are right', async () => {
  const env = 'mult8@0.1.0'
  const { spec } = make(env)
  const replies = [(best: string) => best, () => '123456789012345', () => 'I do not know', null]
  const played = replies.map(async (reply, index) => {
    const challengeId = soloChallenge(env, 'a5'.repeat(32), index)
    const transcript = await play({ spec }, challengeId, ([prompt]) =>
      reply === null
        ? { fault: 'no-reply' }
        : { content: reply(spec.solve(prompt?.content ?? '')) },
    )
    return { env, challengeId, ...transcript, best: spec.highestReward }
  })
  const counts = judgeReplies(await Promise.all(played))
  expect(counts).toEqual({ challenges: 4, asked: 4, usable: 3, legal: 2, right: 1 })
  expect(formatReplyCounts(counts)).toBe('3 of 4 replies usable, 2 legal; 1 of 4 challenges right')
})
