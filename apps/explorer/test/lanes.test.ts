import type { LaneFacts } from '@affine/report'
import type { Flaw } from '@affine/settlement'
import { describe, expect, it } from 'vitest'
import { chargesIn, countLanes } from '../src/lanes.ts'
import type { EpochAccount } from '../src/worker/epoch-account.ts'

const lane = (validator: string, more: Partial<LaneFacts> = {}): LaneFacts => ({
  validator,
  sealed: true,
  attested: true,
  unbegun: 0,
  accepted: true,
  setAside: [],
  attesters: [],
  trust: 900_000,
  fault: undefined,
  ...more,
})
const flaw = (validator: string, code: string): Flaw =>
  ({ epoch: 1, validator, code, detail: '' }) as Flaw
const epochOf = (lanes: readonly LaneFacts[], flaws: readonly Flaw[] = []): EpochAccount =>
  ({ lanes, flaws }) as EpochAccount

const STATE = {
  epochs: [
    epochOf([lane('alice'), lane('mallory', { setAside: ['mult8'] }), lane('eve')]),
    epochOf(
      [lane('alice', { sealed: false, accepted: false }), lane('mallory'), lane('eve')],
      [flaw('eve', 'WRONG_REPLAY'), flaw('alice', 'COPY_MISSING'), flaw('eve', 'WRONG_REPLAY')],
    ),
  ],
}

describe('validators', () => {
  it('are counted by what became of their lanes', () => {
    expect(countLanes(STATE)).toEqual([
      { hotkey: 'alice', due: 2, sealed: 1, accepted: 1, aside: 0 },
      { hotkey: 'mallory', due: 2, sealed: 2, accepted: 2, aside: 1 },
      { hotkey: 'eve', due: 2, sealed: 2, accepted: 2, aside: 0 },
    ])
  })

  it('are charged with proved lies first, then with odd results, and not with a lost file', () => {
    const told = chargesIn(STATE).map(({ hotkey, proved, suspect }) => ({
      hotkey,
      proved,
      suspect,
    }))
    expect(told).toEqual([
      { hotkey: 'eve', proved: ['WRONG_REPLAY × 2'], suspect: [] },
      { hotkey: 'mallory', proved: [], suspect: ['1 of 2 lanes too far from the others’'] },
    ])
  })
})
