import { describeEpoch, stripTones, summariseEpoch } from '@affine/report'
import { beforeAll, expect, it } from 'vitest'
import { formatIntro, formatOutcome } from '../src/commands/demo/story.ts'
import { mapNames } from '../src/commands/demo/subnet.ts'
import { playSubnetOnce, THREE_MINERS } from './played-subnet.ts'

let story: readonly string[]
let tones: readonly string[]

beforeAll(async () => {
  const { participants, epochs } = await playSubnetOnce(THREE_MINERS)
  const settled = await epochs()
  const names = mapNames(participants)
  const nameOf = (hotkey: string) => names[hotkey] ?? hotkey
  const lines = settled.map((each) => summariseEpoch(describeEpoch(each), nameOf))
  const intro = formatIntro({ ...participants, seed: String(2 ** 32 - 1) })
  const outcome = formatOutcome(settled, nameOf)
  tones = outcome.map((line) => (typeof line === 'string' ? 'none' : line.tone))
  story = [intro, ...lines, stripTones(outcome)].join('\n').split('\n')
})

it('prints a demo in fewer than 16 lines of at most 100 columns, with names', async () => {
  expect(story.filter((line) => line.length > 100)).toEqual([])
  expect(story.join('\n')).not.toMatch(/\b5[1-9A-HJ-NP-Za-km-z]{5,}|undefined|NaN/)
  expect(story.length).toBeLessThan(16)
  await expect(`${story.join('\n')}\n`).toMatchFileSnapshot('snapshots/demo.txt')
})

it('prints the suspect as a warning and the winner in green', () => {
  expect(tones).toEqual(['warning', 'good', 'none'])
})
