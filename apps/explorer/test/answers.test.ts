import { registry } from '@affine/envs'
import { expect, it } from 'vitest'
import { answersOf } from '../src/worker/answers.ts'

const ID = '3GV98duqAqRrTRH8p8yFQQutnEd4sTQmkNRV2Yr32YFb'
const answers = answersOf(() => Promise.reject(new Error('no network is open')))

it('an id is a challenge in every environment that is registered, and one can play it', async () => {
  const courses = await answers.courses(ID)
  expect(courses.map(({ env }) => env)).toEqual([...registry.keys()])
  for (const { env, turns } of courses) {
    const [turn] = turns
    expect(turn?.prompt).not.toBe('')
    const played = await answers.course({ env, challengeId: ID, replies: ['no answer'] })
    expect(played).toMatchObject({ isOver: true, turns: [{ forfeit: 'unreadable' }] })
    expect(played?.ending?.better).toMatch(/^(best was|the scripted player replies) ./)
  }
  expect(await answers.courses('no id')).toEqual([])
})
