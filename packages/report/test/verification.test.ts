import { firstState } from '@affine/duel'
import { expect, it, test } from 'vitest'
import { epochOf, MAIN } from '../../duel/test/subnet.ts'
import {
  addToVerification,
  formatFinding,
  formatVerification,
  stripTones,
  surePpm,
  type Verification,
} from '../src/index.ts'
import { settledBy } from './history.ts'

const FLAW = { epoch: 6, validator: '5V', code: 'STATE_MISSING', detail: 'a\u001b[2Jb' } as const
const END: Verification = {
  epoch: 7,
  root: '12ab',
  champion: '5A',
  ratio: 786_123,
  votes: {
    uid: 4,
    validators: 2,
    agreeing: 1,
    others: [{ epoch: 6, validator: '5V', code: 'OTHER_WEIGHTS', detail: 'all to uid 5' }],
  },
  suspect: { '5M': 3, '5N': 1 },
  warnings: 1,
  flaws: 0,
  conclusion: 'HOLDS',
}

test.each([
  [0, 'HOLDS'],
  [0, 'COMPARED_HOLDS'],
  [2, 'FLAWED'],
] as const)('counts %i flaws, and concludes %s', (flaws, conclusion) => {
  const state = firstState(MAIN, 0)
  const settled = { ...settledBy(state, epochOf(state)), flaws: Array(flaws).fill(FLAW) }
  const flawless = conclusion === 'HOLDS' ? conclusion : 'COMPARED_HOLDS'
  const verification = addToVerification(undefined, settled, flawless)
  expect(verification).toMatchObject({ flaws, conclusion })
})

it('formats a verification', async () => {
  const ends = [
    END,
    { ...END, votes: undefined, suspect: {}, warnings: 0, flaws: 1, conclusion: 'FLAWED' as const },
    { ...END, warnings: 2, conclusion: 'COMPARED_HOLDS' as const },
  ]
  const hotkey = '5'.padEnd(48, 'X')
  const copy = { ...FLAW, detail: `its copy of a block of ${hotkey}` }
  const nameOf = (key: string) => (key === hotkey ? 'mallory' : key)
  const texts = [
    stripTones([formatFinding(FLAW, 'bad', String), formatFinding(FLAW, 'warning', String)]),
    stripTones([formatFinding(copy, 'bad', nameOf)]),
    ...ends.map((end) => stripTones(formatVerification(end, String))),
  ]
  await expect(`${texts.join('\n')}\n`).toMatchFileSnapshot('snapshots/verification.txt')
})

test.each([
  ['three of four environments', 4, 4, 3, 999_500],
  ['two of four environments, the others undecided', 4, 2, 2, 985_000],
  ['one of four environments, the others undecided', 4, 1, 1, 990_000],
  ['the only environment', 1, 1, 1, 997_500],
])('computes the share of contenders that fail to win %s', (_, all, counted, needed, want) => {
  const envs = Array(all).fill('env')
  expect(Math.round(surePpm({ envs, counted, needed }))).toBe(want)
})
