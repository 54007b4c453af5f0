import { epochFacts, epochLine } from '@affine/report'
import { beforeAll, expect, it } from 'vitest'
import { introText, namesIn, outcomeText, verifiedText } from '../src/commands/demo/story.ts'
import { playedSubnet, THREE_MINERS } from './played-subnet.ts'

let story: readonly string[]

beforeAll(async () => {
  const { cast, epochs } = await playedSubnet(THREE_MINERS)
  const settled = await epochs()
  const names = namesIn(cast)
  const nameOf = (hotkey: string) => names[hotkey] ?? hotkey
  const lines = settled.map((each) => epochLine(epochFacts(each), nameOf))
  const intro = introText({ ...cast, seed: String(2 ** 32 - 1) })
  story = [intro, ...lines, outcomeText(settled, nameOf)].join('\n').split('\n')
})

it('a demo is told in few lines, by names, each at most 100 wide', () => {
  expect(story.filter((line) => line.length > 100)).toEqual([])
  expect(story.join('\n')).not.toMatch(/\b5[1-9A-HJ-NP-Za-km-z]{5,}|undefined|NaN/)
  expect(story.length).toBeLessThan(16)
})

it('it says who competes, who fails, who wins and how sure that is, and who lied and how it showed', () => {
  const said = [
    /^Seed .* Miners by skill: veteran 0\.6, then weaker 0\.35 and stronger 0\.95 at once$/,
    /^Validators: .*, and mallory, which invents what the miners reply$/,
    /^epoch 0 {2}veteran takes the empty throne/,
    /^epoch 1 {2}weaker and stronger challenge veteran/,
    /^epoch \d {2}weaker has won 0 of 4 environments, and is out/,
    /^epoch \d {2}.*★ stronger (has won )?[34] of 4( environments)?, and takes the throne/,
    /^epoch \d {2}nobody challenges stronger; the share to win against it falls from \d+/,
    /^mallory lied: stronger won 0 of \d+ at \w+ by it, [6-9]\d(\.\d)? % to \d+(\.\d)? % by/,
    /^stronger won [6-9]\d(\.\d)? % of the \d+ challenges .*; 51 % are needed$/,
    /^How sure: .* stronger won [34]$/,
  ]
  for (const pattern of said) expect(story).toContainEqual(expect.stringMatching(pattern))
})

it('says that it is verified only if the verifier found nothing, else all that it found', () => {
  const all = 'state root 12ab, governing epoch 6\nEverything holds.\n'
  expect(verifiedText(0, all)).toMatch(/^Verified: .* recomputed 6 epochs /)
  expect(verifiedText(1, '✘ epoch 2')).toBe('NOT verified:\n✘ epoch 2')
  expect(verifiedText(0, '')).toMatch(/^NOT verified/)
})
